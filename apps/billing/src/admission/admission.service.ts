import { Injectable } from '@nestjs/common';
import type { AdmitHoldRequest, AdmittedHold } from '@svc/contracts';
import {
  accountSuspended,
  conflict,
  insufficientQuota,
  invalidApiKey,
  invalidRequest,
  noCapacity,
} from '@svc/errors';
import { parseBaseUnits } from '@svc/money';
import { BillingConfig } from '../billing.config';
import { idempotencyMismatch } from '../idempotency/idempotency-mismatch';
import { GroupCommitError } from '../ledger/group-commit';
import { LedgerMetrics } from '../ledger/ledger.metrics';
import { LedgerService } from '../ledger/ledger.service';
import type { AdmissionResult } from '../ledger/operation';
import { QuotaLimitStore } from './quota-limit.store';

/** Decides whether a request may start: key, suspension and money, in one commit. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly ledger: LedgerService,
    private readonly metrics: LedgerMetrics,
    private readonly limits: QuotaLimitStore,
    private readonly config: BillingConfig,
  ) {}

  /**
   * @param deadlineMs on performance.now()'s clock, after which the caller has given up: it then holds nothing
   * @throws SvcError invalid_request (400 a hold of nothing; 409 the id stands for another or a finished request; 422 the idempotency
   *   key does), invalid_api_key, account_suspended, insufficient_quota, no_capacity (too many admissions wait, or billing stops while
   *   the database is away)
   */
  async admit(request: AdmitHoldRequest, deadlineMs?: number): Promise<AdmittedHold> {
    const amount = parseBaseUnits(request.amount);
    if (amount === 0n) throw invalidRequest('amount must be above 0.', 'amount');
    const { requestId: holdId, keyHash, model, idempotency } = request;
    const result = await this.ledger
      .admit({ type: 'admit', holdId, keyHash, amount, model, idempotency }, deadlineMs)
      .catch(translate);
    this.metrics.admissions.inc({ outcome: result.outcome });
    if (result.outcome === 'held') return { state: 'held', holdId, ...holdOf(result) };
    if ('holdId' in result) return { state: result.outcome, holdId: result.holdId, ...holdOf(result) };
    if (result.outcome === 'insufficient') throw await this.quotaOf(result, amount);
    throw refusalOf(result);
  }

  private async quotaOf(
    { limitedBy, wallet, keyId, held, spendable }: Insufficient,
    needed: bigint,
  ): Promise<Error> {
    const amounts = { needed, held, spendable };
    if (limitedBy === 'key') {
      const waitingHelps = await this.limits.willAfford({ wallet, keyId }, needed);
      return insufficientQuota({ ...amounts, limit: 'key_budget', waitingHelps });
    }
    if (limitedBy === 'unsettled') {
      const waitingHelps = needed <= BigInt(this.config.unsettledCap);
      return insufficientQuota({ ...amounts, limit: 'unsettled', waitingHelps });
    }
    return insufficientQuota({ ...amounts, limit: await this.limits.meansLimitOf(wallet) });
  }
}

type Admitted = Extract<AdmissionResult, { amount: bigint }>;
type Insufficient = Extract<AdmissionResult, { outcome: 'insufficient' }>;

function holdOf({ wallet, amount }: Admitted): Pick<AdmittedHold, 'wallet' | 'amount'> {
  return { wallet, amount: String(amount) };
}

function refusalOf(result: Exclude<AdmissionResult, Admitted | Insufficient>): Error {
  switch (result.outcome) {
    case 'unknown_key':
      return invalidApiKey();
    case 'suspended':
      // The reason is the operator's note, not the client's.
      return accountSuspended();
    case 'different':
      return conflict(
        'Another admission stands under this request id; ask with an id of its own.',
        'requestId',
      );
    case 'mismatch':
      return idempotencyMismatch();
    case 'resolved':
      return conflict('The request with this id is finished already; ask with a new id.', 'requestId');
  }
}

function translate(error: unknown): never {
  if (!(error instanceof GroupCommitError)) throw error;
  if (error.reason === 'overloaded') throw noCapacity('Too many requests wait for admission; try again.', 1);
  throw noCapacity('Requests cannot be admitted now; try again.', 1);
}
