import { failpoint } from '../failpoint';
import { APPLY_STATEMENT, batchParameters } from './batch-parameters';
import type { BatchPart, BatchTerms } from './batch-parameters';
import type { LedgerConnection } from './ledger-connection';
import type { AdmissionResult, Operation, OperationResult, QuotaLimit, ResolutionResult } from './operation';

/** A row of `billing.outcome`: part, seq, outcome, wallet, key_id, amount, held, spendable, hold_id, limited_by. */
type OutcomeRow = [
  part: BatchPart,
  seq: number,
  outcome: string,
  wallet: string | null,
  keyId: string | null,
  amount: string | null,
  held: string | null,
  spendable: string | null,
  holdId: string | null,
  limitedBy: QuotaLimit | null,
];

/** The ledger's tables as the batcher knows them: one function. */
export class LedgerStore {
  constructor(
    private readonly connection: LedgerConnection,
    private readonly terms: BatchTerms,
  ) {}

  /**
   * Applies a batch in one commit.
   * @param operations no two of them on the same hold
   * @returns what became of each, in their order, when the commit is durable
   * @throws as `LedgerConnection.query`
   */
  async apply(operations: readonly Operation[]): Promise<OperationResult[]> {
    const { values, positions } = batchParameters(operations, this.terms);
    const applied = this.connection.query<OutcomeRow>({
      name: 'billing-apply',
      text: APPLY_STATEMENT,
      values,
      rowMode: 'array',
    });
    failpoint('ledger.sent');
    const rows = await applied;
    failpoint('ledger.committed');
    const results: (OperationResult | undefined)[] = operations.map(({ type }) =>
      type === 'renew' ? { renewed: false } : undefined,
    );
    for (const row of rows) {
      const position = positions[row[0]][row[1] - 1];
      if (position !== undefined) results[position] = resultOf(row);
    }
    return results.map((result) => {
      if (!result) throw new Error('billing.apply left an operation without an outcome');
      return result;
    });
  }
}

function resultOf(row: OutcomeRow): OperationResult {
  switch (row[0]) {
    case 'admit':
      return admissionResult(row);
    case 'settle':
      return { state: row[2] as ResolutionResult['state'], charged: BigInt(row[5] ?? 0) };
    case 'renew':
      return { renewed: true };
  }
}

function admissionResult(row: OutcomeRow): AdmissionResult {
  const outcome = row[2] as AdmissionResult['outcome'];
  const wallet = row[3] ?? '';
  const keyId = row[4] ?? '';
  const amount = BigInt(row[5] ?? 0);
  switch (outcome) {
    case 'held':
      return { outcome, wallet, keyId, amount };
    case 'insufficient': {
      const [, , , , , , held, spendable, , limitedBy] = row;
      return {
        outcome,
        wallet,
        keyId,
        limitedBy: limitedBy ?? 'wallet',
        held: BigInt(held ?? 0),
        spendable: BigInt(spendable ?? 0),
      };
    }
    case 'running':
    case 'completed':
      return { outcome, wallet, keyId, holdId: row[8] ?? '', amount };
    case 'unknown_key':
    case 'suspended':
    case 'different':
    case 'resolved':
    case 'mismatch':
      return { outcome };
  }
}
