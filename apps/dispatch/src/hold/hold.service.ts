import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { TransientMap } from '@svc/collections';
import { SETTLEMENT_QUEUE, billingContracts } from '@svc/contracts';
import type { RequestFailure, RunHold, ServedUsage, SettleHoldRequest, SettledHold } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { DurablePublisher, RpcClient } from '@svc/messaging';
import { parseBaseUnits } from '@svc/money';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';

/**
 * Resolves holds with billing: by a call as long as billing answers, else through the durable queue, where a settlement
 * waits for billing's return; what the queue does not take, by whichever of both does first. It is applied once by hold id.
 */
@Injectable()
export class HoldService {
  /**
   * In the ids of its messages. The stream drops a message whose id it has seen, whoever it was from: an id that a gateway
   * could guess would let it keep a charge from being made.
   */
  private readonly nonce = randomBytes(12).toString('hex');
  /** What billing was called for and has not answered yet, by hold. */
  private readonly unanswered = new TransientMap<string, SettleHoldRequest>();

  constructor(
    private readonly rpc: RpcClient,
    private readonly durable: DurablePublisher<SettleHoldRequest>,
    private readonly metrics: DispatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Settlements that neither the queue nor billing has taken yet: they are lost with this process. */
  get pending(): ReadonlySet<SettleHoldRequest> {
    return this.durable.pending;
  }

  /** Charges what was served. @returns what the payer is charged, base units: `cost` while billing is away, 0 for a hold that was lost */
  async post(hold: RunHold, usage: ServedUsage, cost: bigint): Promise<bigint> {
    const settled = await this.settle({ ...reference(hold), outcome: 'post', usage });
    if (settled === 'deferred') return cost;
    if (settled === 'refused') return 0n;
    const charged = parseBaseUnits(settled.charged);
    if (settled.state !== 'posted' || charged !== cost) {
      const { state } = settled;
      this.logger.warn(
        { requestId: hold.holdId, state, charged: settled.charged, cost: cost.toString() },
        'charged otherwise than metered',
      );
    }
    return charged;
  }

  /**
   * Charges what was served of an idempotent run, whose reply, stored by now, says what it costs: that is charged, or nothing.
   * @param cost what it says, base units
   * @returns whether that is charged, or will be as soon as billing is back
   */
  async postAsStored(hold: RunHold, usage: ServedUsage, cost: bigint): Promise<boolean> {
    const settled = await this.settle({ ...reference(hold), outcome: 'post', usage });
    if (settled === 'deferred') return true;
    if (settled !== 'refused' && settled.state === 'posted') {
      if (parseBaseUnits(settled.charged) === cost) return true;
      // The price is one formula on both sides.
      throw new Error(`charged ${settled.charged} instead of ${cost}`);
    }
    const state = settled === 'refused' ? settled : settled.state;
    this.logger.warn({ requestId: hold.holdId, state }, 'an idempotent request was not charged');
    return false;
  }

  /** Frees the hold: nothing was served. @param failure for the list of what was not */
  async void(hold: RunHold, reason: string, failure: RequestFailure): Promise<void> {
    await this.settle({ ...reference(hold), outcome: 'void', reason, failure });
  }

  /** Frees an open hold or refunds a posted one; never waits, is never lost while this process lives. */
  abandon(hold: RunHold, reason: string, failure: RequestFailure): void {
    this.metrics.holdAbandoned(reason);
    this.defer({ ...reference(hold), outcome: 'abandon', reason, failure });
  }

  /** There is no time left to wait for billing: what it has not answered goes by the queue as well. */
  handOver(): void {
    for (const request of this.unanswered.values()) this.defer(request);
  }

  /** Resolves when everything has been taken. */
  drain(): Promise<void> {
    return this.durable.drain();
  }

  private async settle(request: SettleHoldRequest): Promise<SettledHold | 'deferred' | 'refused'> {
    this.unanswered.set(request.holdId, request);
    try {
      const settled = await this.call(request);
      if (settled === undefined) this.defer(request);
      return settled ?? 'deferred';
    } finally {
      this.unanswered.delete(request.holdId);
    }
  }

  /** @returns undefined when billing did not do it, or gave no answer */
  private async call(request: SettleHoldRequest): Promise<SettledHold | 'refused' | undefined> {
    try {
      return await this.rpc.call(billingContracts.settleHold, request, { requestId: request.holdId });
    } catch (error) {
      if (!SvcError.is(error) || error.code !== 'invalid_request') return undefined;
      // Would be refused again from the queue; the hold expires and the payer is charged nothing.
      this.logger.error({ requestId: request.holdId, code: error.code }, 'billing refused a settlement');
      return 'refused';
    }
  }

  private defer(request: SettleHoldRequest): void {
    this.metrics.settlementDeferred(request.outcome);
    const messageId = `${request.holdId}:${request.outcome}:${this.nonce}`;
    const byCall = async () => (await this.call(request)) !== undefined;
    void this.durable.publish(SETTLEMENT_QUEUE.deferSubject, messageId, request, byCall);
  }
}

function reference({ holdId, wallet }: RunHold): Pick<SettleHoldRequest, 'holdId' | 'wallet'> {
  return { holdId, wallet };
}
