import { arrayLiteral } from './array-literal';
import type { Admission, FailureNotes, Operation, Renewal, Resolution } from './operation';

/** A batch as `billing.apply` takes it, and where each of its rows came from. */
interface BatchParameters {
  readonly values: unknown[];
  /** For each part, the batch's index of the part's first, second, … operation. */
  readonly positions: Readonly<Record<BatchPart, readonly number[]>>;
}

export type BatchPart = 'admit' | 'settle' | 'renew';

type Column<T> = readonly [sqlType: string, value: (operation: T) => string | number | null];

const ADMISSION_COLUMNS: readonly Column<Admission>[] = [
  ['text', ({ keyHash }) => keyHash],
  ['text', ({ holdId }) => holdId],
  ['int8', ({ amount }) => String(amount)],
  ['text', ({ model }) => model],
  ['text', ({ idempotency }) => idempotency?.keyHash ?? null],
  ['text', ({ idempotency }) => idempotency?.fingerprint ?? null],
];

const RESOLUTION_COLUMNS: readonly Column<Resolution>[] = [
  ['text', ({ type }) => type],
  ['text', ({ wallet }) => wallet],
  ['text', ({ holdId }) => holdId],
  ['text', (operation) => (operation.type === 'post' ? null : (operation.reason ?? null))],
  charged('int8', ({ cost }) => String(cost)),
  charged('int8', ({ providerShare }) => String(providerShare)),
  charged('text', ({ model }) => model),
  charged('text', ({ offerId }) => offerId),
  charged('text', ({ provider }) => provider),
  charged('int8', ({ inputPricePerMtok }) => String(inputPricePerMtok)),
  charged('int8', ({ outputPricePerMtok }) => String(outputPricePerMtok)),
  charged('int4', ({ promptTokens }) => promptTokens),
  charged('int4', ({ completionTokens }) => completionTokens),
  charged('text', ({ tokenSource }) => tokenSource),
  noted('int2', ({ attempts }) => attempts),
  charged('text', ({ finishReason }) => finishReason),
  noted('jsonb', ({ route }) => route),
  ['text', (operation) => (operation.type === 'post' ? null : (operation.failure?.code ?? null))],
  charged('int4', ({ firstTokenMs }) => firstTokenMs ?? null),
  noted('int4', ({ totalMs }) => totalMs),
];

const RENEWAL_COLUMNS: readonly Column<Renewal>[] = [
  ['text', ({ wallet }) => wallet],
  ['text', ({ holdId }) => holdId],
];

/** A column that only posts have. */
function charged(
  sqlType: string,
  value: (charge: Extract<Resolution, { type: 'post' }>['charge']) => string | number | null,
): Column<Resolution> {
  return [sqlType, (operation) => (operation.type === 'post' ? value(operation.charge) : null)];
}

/** A column that posts have, and what was not served as far as it is known. */
function noted(
  sqlType: string,
  value: (notes: Pick<FailureNotes, 'attempts' | 'route' | 'totalMs'>) => string | number | undefined,
): Column<Resolution> {
  const notesOf = (operation: Resolution) =>
    operation.type === 'post' ? operation.charge : (operation.failure ?? {});
  return [sqlType, (operation) => value(notesOf(operation)) ?? null];
}

const TYPES = [
  'int4',
  'int8',
  'int8',
  ...[...ADMISSION_COLUMNS, ...RESOLUTION_COLUMNS, ...RENEWAL_COLUMNS].map(([type]) => `${type}[]`),
];

/** The batch's statement; its parameters are `batchParameters(…).values`. */
export const APPLY_STATEMENT = `SELECT part, seq, outcome, wallet, key_id, amount, held, spendable, hold_id, limited_by FROM billing.apply(${TYPES.map(
  (type, index) => `$${index + 1}::${type}`,
).join(', ')})`;

/** What holds for every operation of a batch. */
export interface BatchTerms {
  /** How long admitted and renewed holds stand from now. */
  readonly leaseMs: number;
  /** The most that a wallet may owe and hold beyond what the chain has collected, base units. */
  readonly unsettledCap: bigint;
  /** How long a request stands under its idempotency key from now. */
  readonly idempotencyMs: number;
}

/** Lays a batch out as arrays, one per column. */
export function batchParameters(operations: readonly Operation[], terms: BatchTerms): BatchParameters {
  const admissions: Admission[] = [];
  const resolutions: Resolution[] = [];
  const renewals: Renewal[] = [];
  const positions = { admit: [] as number[], settle: [] as number[], renew: [] as number[] };
  operations.forEach((operation, index) => {
    if (operation.type === 'admit') {
      admissions.push(operation);
      positions.admit.push(index);
    } else if (operation.type === 'renew') {
      renewals.push(operation);
      positions.renew.push(index);
    } else {
      resolutions.push(operation);
      positions.settle.push(index);
    }
  });
  const values = [
    terms.leaseMs,
    String(terms.unsettledCap),
    terms.idempotencyMs,
    ...ADMISSION_COLUMNS.map(([, value]) => arrayLiteral(admissions.map(value))),
    ...RESOLUTION_COLUMNS.map(([, value]) => arrayLiteral(resolutions.map(value))),
    ...RENEWAL_COLUMNS.map(([, value]) => arrayLiteral(renewals.map(value))),
  ];
  return { values, positions };
}
