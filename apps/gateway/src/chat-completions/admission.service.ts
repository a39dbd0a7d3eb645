import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BoundedMap } from '@svc/collections';
import { MOST_PASSED_OVER, MOST_RUN_ATTEMPTS, billingContracts, cortexContracts } from '@svc/contracts';
import type { AdmittedHold, IdempotencyClaim, Plan, PlannedAttempt } from '@svc/contracts';
import { SvcError, noCapacity } from '@svc/errors';
import { RpcClient, RpcUnavailableError } from '@svc/messaging';
import type { CallOptions } from '@svc/messaging';
import { MAX_BASE_UNITS, parseBaseUnits, priceOf } from '@svc/money';
import { ModelCatalog } from '../models/model-catalog';
import { HoldRelease } from '../runs/hold-release';
import type { CompletionOrder } from './completion-order';

/** Wallets remembered by key hash, for holds whose answer got lost. */
const MAX_WALLETS = 10_000;
/** How long billing is asked for the wallet of a hold that may stand. */
const WALLET_QUESTIONS = 10;
const WALLET_QUESTION_MS = 2_000;

export type CallContext = Pick<CallOptions, 'traceparent'> & { requestId: string };

/** Who is asked for a completion, in which order, and who is not. */
export type RoutePlan = Pick<Plan, 'attempts' | 'passedOver'>;

export interface PlanTerms {
  /** The request will hardly come to a run. */
  tentative: boolean;
}

interface HoldTerms {
  order: CompletionOrder;
  /** Base units. */
  amount: bigint;
  keyHash: string;
  idempotency?: IdempotencyClaim;
}

/** Finds out who could serve a request and holds what it may cost: cortex plans, billing admits. */
@Injectable()
export class AdmissionService {
  private readonly walletOfKey = new BoundedMap<string, string>(MAX_WALLETS);

  constructor(
    private readonly rpc: RpcClient,
    private readonly holds: HoldRelease,
    private readonly models: ModelCatalog,
  ) {}

  /**
   * @returns at least one attempt, the best first
   * @throws SvcError no_capacity
   * @throws RpcUnavailableError
   */
  async plan(order: CompletionOrder, context: CallContext, { tentative }: PlanTerms): Promise<RoutePlan> {
    const { model, routing, inputEstimate, inputLeast, maxTokens, needs } = order;
    const { attempts, passedOver, retryAfterSeconds } = await this.rpc.call(
      cortexContracts.createPlan,
      {
        requestId: context.requestId,
        model,
        routing,
        inputEstimate,
        inputLeast,
        maxTokens,
        needs,
        tentative: tentative || undefined,
      },
      context,
    );
    if (attempts.length === 0) throw noCapacity(this.wordsOfNone(order), retryAfterSeconds);
    return {
      attempts: attempts.slice(0, MOST_RUN_ATTEMPTS),
      ...(passedOver && { passedOver: passedOver.slice(0, MOST_PASSED_OVER) }),
    };
  }

  /**
   * The most that the request can cost, at the dearest of the attempts; base units.
   * @throws SvcError insufficient_quota when no balance could cover it
   */
  amountOf(order: CompletionOrder, attempts: PlannedAttempt[]): bigint {
    const amount = dearestOf(order, attempts);
    if (amount > MAX_BASE_UNITS) throw beyondAnyBalance();
    return amount;
  }

  /**
   * Holds what a request can cost; nothing for one that runs or was charged under its idempotency key already.
   * @throws SvcError invalid_api_key, account_suspended, insufficient_quota; invalid_request (422) when another request
   *   stands under the idempotency key
   * @throws RpcUnavailableError
   */
  async hold(
    { order, amount, keyHash, idempotency }: HoldTerms,
    context: CallContext,
  ): Promise<AdmittedHold> {
    const { requestId } = context;
    try {
      const hold = await this.rpc.call(
        billingContracts.admitHold,
        { requestId, keyHash, model: order.model, amount: amount.toString(), idempotency },
        context,
      );
      if (!this.walletOfKey.has(keyHash)) this.walletOfKey.set(keyHash, hold.wallet);
      return hold;
    } catch (error) {
      if (mayHaveHeld(error)) void this.releaseUnheard(keyHash, requestId);
      throw error;
    }
  }

  /** A named model is never substituted, but whoever asks may choose to ask the routing model (spec section 7). */
  private wordsOfNone({ model, routing }: CompletionOrder): string {
    if (routing) return `No candidate of "${model}" can take this request now.`;
    const { routingModel } = this.models;
    const option =
      routingModel === undefined ? '' : ` Retry, or ask "${routingModel}", which picks among models.`;
    return `No provider can take a request for "${model}" now.${option}`;
  }

  /** Billing may have held and the answer got lost. A hold whose wallet nobody tells ends with its lease. */
  private async releaseUnheard(keyHash: string, holdId: string): Promise<void> {
    const wallet = this.walletOfKey.get(keyHash) ?? (await this.askWallet(keyHash));
    if (wallet !== undefined) this.holds.abandon({ holdId, wallet }, 'admission_unheard');
  }

  private async askWallet(keyHash: string): Promise<string | undefined> {
    for (let asked = 0; asked < WALLET_QUESTIONS; asked++) {
      try {
        const { wallet } = await this.rpc.call(billingContracts.checkKey, { keyHash });
        return wallet;
      } catch (error) {
        if (SvcError.is(error) && error.status < 500) return undefined;
        await delay(WALLET_QUESTION_MS, undefined, { ref: false });
      }
    }
    return undefined;
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
