import { Injectable } from '@nestjs/common';
import { billingContracts, cortexContracts } from '@svc/contracts';
import type { AdmittedHold, PlannedAttempt } from '@svc/contracts';
import { SvcError, noCapacity } from '@svc/errors';
import { RpcClient, RpcUnavailableError } from '@svc/messaging';
import type { CallOptions } from '@svc/messaging';
import { MAX_BASE_UNITS, parseBaseUnits, priceOf } from '@svc/money';
import { HoldRelease } from '../runs/hold-release';
import type { CompletionOrder } from './completion-order';

/** As many offers as a run takes. */
const MAX_ATTEMPTS = 16;
/** Wallets remembered by key hash, for holds whose answer got lost. */
const MAX_WALLETS = 10_000;

export type CallContext = Pick<CallOptions, 'traceparent'> & { requestId: string };

/** Finds out who could serve a request and holds what it may cost: cortex plans, billing admits. */
@Injectable()
export class AdmissionService {
  private readonly walletOfKey = new Map<string, string>();

  constructor(
    private readonly rpc: RpcClient,
    private readonly holds: HoldRelease,
  ) {}

  /**
   * @returns at least one attempt, the best first
   * @throws SvcError no_capacity
   * @throws RpcUnavailableError
   */
  async plan(order: CompletionOrder, context: CallContext): Promise<PlannedAttempt[]> {
    const { model, inputEstimate, maxTokens } = order;
    const { attempts, retryAfterSeconds } = await this.rpc.call(
      cortexContracts.createPlan,
      { requestId: context.requestId, model, inputEstimate, maxTokens },
      context,
    );
    if (attempts.length > 0) return attempts.slice(0, MAX_ATTEMPTS);
    throw noCapacity(`No provider can take a request for "${model}" now.`, retryAfterSeconds);
  }

  /**
   * Holds the most that the request can cost at the dearest of the attempts.
   * @throws SvcError invalid_api_key, account_suspended, insufficient_quota
   * @throws RpcUnavailableError
   */
  async hold(
    order: CompletionOrder,
    attempts: PlannedAttempt[],
    keyHash: string,
    context: CallContext,
  ): Promise<AdmittedHold> {
    const amount = dearestOf(order, attempts);
    if (amount > MAX_BASE_UNITS) throw beyondAnyBalance();
    const { requestId } = context;
    try {
      const hold = await this.rpc.call(
        billingContracts.admitHold,
        { requestId, keyHash, model: order.model, amount: amount.toString() },
        context,
      );
      this.rememberWallet(keyHash, hold.wallet);
      return hold;
    } catch (error) {
      if (mayHaveHeld(error)) this.releaseUnheard(keyHash, requestId);
      throw error;
    }
  }

  /** Billing may have held and the answer got lost. A hold of an unknown wallet ends with its lease. */
  private releaseUnheard(keyHash: string, holdId: string): void {
    const wallet = this.walletOfKey.get(keyHash);
    if (wallet !== undefined) this.holds.abandon({ holdId, wallet }, 'admission_unheard');
  }

  private rememberWallet(keyHash: string, wallet: string): void {
    if (this.walletOfKey.has(keyHash)) return;
    const [oldest] = this.walletOfKey.keys();
    if (this.walletOfKey.size >= MAX_WALLETS && oldest !== undefined) this.walletOfKey.delete(oldest);
    this.walletOfKey.set(keyHash, wallet);
  }
}

/** Whether the hold may stand though the call failed: its answer got lost, or billing broke after the commit. */
function mayHaveHeld(error: unknown): boolean {
  if (RpcUnavailableError.is(error)) return error.reason !== 'no_responders';
  return !SvcError.is(error) || error.code === 'internal_error';
}

function dearestOf({ inputEstimate, maxTokens }: CompletionOrder, attempts: PlannedAttempt[]): bigint {
  let dearest = 0n;
  for (const { inputPricePerMtok, outputPricePerMtok } of attempts) {
    const prices = {
      inputPerMtok: parseBaseUnits(inputPricePerMtok),
      outputPerMtok: parseBaseUnits(outputPricePerMtok),
    };
    const price = priceOf(prices, inputEstimate, maxTokens);
    if (price > dearest) dearest = price;
  }
  return dearest;
}

function beyondAnyBalance(): SvcError {
  return new SvcError({
    code: 'insufficient_quota',
    message: 'The request could cost more than any balance can cover. Lower max_tokens.',
  });
}
