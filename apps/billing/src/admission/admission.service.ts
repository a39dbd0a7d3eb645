import { Injectable } from '@nestjs/common';
import type { AdmitHoldRequest, AdmittedHold } from '@svc/contracts';
import { accountSuspended, insufficientQuota, invalidApiKey, invalidRequest, noCapacity } from '@svc/errors';
import { parseBaseUnits } from '@svc/money';
import { GroupCommitError } from '../ledger/group-commit';
import { LedgerMetrics } from '../ledger/ledger.metrics';
import { LedgerService } from '../ledger/ledger.service';
import type { AdmissionResult } from '../ledger/operation';

const CONFLICT = 409;

/** Decides whether a request may start: key, suspension and money, in one commit. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly ledger: LedgerService,
    private readonly metrics: LedgerMetrics,
  ) {}

  /**
   * @param deadlineMs Unix milliseconds after which the caller has given up: it then holds nothing
   * @throws SvcError invalid_request (a hold of nothing; the id stands for another or a finished request),
   *   invalid_api_key, account_suspended, insufficient_quota, no_capacity (too many admissions wait)
   */
  async admit(request: AdmitHoldRequest, deadlineMs?: number): Promise<AdmittedHold> {
    const amount = parseBaseUnits(request.amount);
    if (amount === 0n) throw invalidRequest('amount must be more than 0', 'amount');
    const { requestId: holdId, keyHash, model } = request;
    const result = await this.ledger
      .admit({ type: 'admit', holdId, keyHash, amount, model }, deadlineMs)
      .catch(translate);
    this.metrics.admissions.inc({ outcome: result.outcome });
    if (result.outcome !== 'held') throw refusalOf(result, amount);
    return { holdId, wallet: result.wallet, keyId: result.keyId, amount: String(result.amount) };
  }
}

function refusalOf(result: Exclude<AdmissionResult, { outcome: 'held' }>, needed: bigint): Error {
  switch (result.outcome) {
    case 'unknown_key':
      return invalidApiKey();
    case 'suspended':
      // The reason is the operator's note, not the client's.
      return accountSuspended();
    case 'insufficient':
      return insufficientQuota({ needed, held: result.held, spendable: result.spendable });
    case 'different':
      return invalidRequest('another admission stands under this request id', 'requestId', CONFLICT);
    case 'resolved':
      return invalidRequest('the request with this id is already finished', 'requestId', CONFLICT);
  }
}

function translate(error: unknown): never {
  if (error instanceof GroupCommitError && error.reason === 'overloaded') {
    throw noCapacity('Too many requests wait for admission.', 1);
  }
  throw error;
}
