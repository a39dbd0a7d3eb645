import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SETTLEMENT_QUEUE, billingContracts } from '@svc/contracts';
import type { IdempotencyClaim, ReleaseHoldRequest, SettleHoldRequest } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { DurablePublisher } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import { usageOf } from '../ledger/ledger.for-spec';
import type { BookedRequest } from './caller-book.for-spec';
import { LEASE_MS } from './fault-stack.for-spec';
import type { FaultStack, Payer, PayerKey } from './fault-stack.for-spec';
import type { Random } from './random.for-spec';

const MAX_AMOUNT = 2_000;
/** A caller's patience, shorter than in earnest so that unknown outcomes are many. */
const PATIENCE_MS = 600;
const REPEAT_AFTER_MS = 40;
/** After which a caller gives up repeating. */
const GIVE_UP_MS = 20_000;
const CLAIMS = 4;
const REQUESTS = 2;

/** What a caller does with its hold. */
const ENDINGS = {
  post: 60,
  post_by_queue: 8,
  post_twice: 6,
  post_then_abandon: 5,
  post_then_refund: 3,
  void: 6,
  abandon: 4,
  work_long: 1.5,
  walk_away: 3,
  post_late: 1,
};

/** Gateway, dispatch and operator in one, as far as billing sees them: repeats what was not answered, or leaves it to the queue. */
export class Caller {
  private readonly fromGateway: DurablePublisher;
  private readonly fromDispatch: DurablePublisher;
  private count = 0;

  constructor(
    private readonly stack: FaultStack,
    private readonly name: string,
    private readonly random: Random,
    private readonly book: Map<string, BookedRequest>,
  ) {
    const logger = createLogger('test', 'silent');
    this.fromGateway = new DurablePublisher(stack.gateway.messaging, logger);
    this.fromDispatch = new DurablePublisher(stack.dispatch.messaging, logger);
  }

  /** One request from its admission to the end that its caller means it to have. */
  async request(payer: Payer): Promise<void> {
    const { random } = this;
    const key = random.pick(payer.keys);
    const amount = random.between(1, MAX_AMOUNT);
    const claim = random.chance(0.2) ? this.claimOf(payer.wallet) : undefined;
    // Drawn before anything is waited for: what is done never depends on how long it took.
    const ending = random.weighted(ENDINGS);
    const [repeats, worksMs] = [random.chance(0.7), random.between(0, 25)];
    const replyBytes = random.between(1, 2_000);
    const booked: BookedRequest = {
      holdId: `req_${this.name}_${(this.count++).toString(36)}`,
      wallet: payer.wallet,
      amount,
      claim,
      admitted: 'unheard',
      cost: random.chance(0.05) ? 0 : random.between(0, amount),
      sent: new Set(),
      queued: new Set(),
      answers: [],
    };
    this.book.set(booked.holdId, booked);
    await this.admit(booked, key, repeats);
    if (booked.admitted === 'unheard') return this.release(booked);
    if (booked.admitted !== 'held') return;
    await delay(worksMs);
    if (claim && !(await this.keepReply(booked, replyBytes))) return this.settle(booked, 'void');
    await this.end(booked, ending);
  }

  private async end(booked: BookedRequest, ending: keyof typeof ENDINGS): Promise<void> {
    switch (ending) {
      case 'post':
        return this.settle(booked, 'post');
      case 'post_by_queue':
        return this.defer(booked, 'post');
      case 'post_twice':
        await Promise.all([this.settle(booked, 'post'), this.defer(booked, 'post')]);
        return this.defer(booked, 'post', 'again');
      case 'post_then_abandon':
        await this.settle(booked, 'post');
        return this.release(booked);
      case 'post_then_refund':
        await this.settle(booked, 'post');
        return this.refund(booked);
      case 'void':
        return this.settle(booked, 'void');
      case 'abandon':
        return this.defer(booked, 'abandon');
      case 'work_long':
        await this.renewFor(booked, 1.5 * LEASE_MS);
        return this.settle(booked, 'post');
      case 'walk_away':
        return undefined;
      case 'post_late':
        await delay(1.6 * LEASE_MS);
        return this.settle(booked, 'post');
    }
  }

  private async admit(booked: BookedRequest, { keyHash }: PayerKey, repeats: boolean): Promise<void> {
    const { holdId: requestId, amount, claim } = booked;
    const request = { requestId, keyHash, model: 'svc/demo@1', amount: String(amount), idempotency: claim };
    const untilMs = performance.now() + GIVE_UP_MS;
    do {
      try {
        const options = { timeoutMs: PATIENCE_MS };
        const { state } = await this.stack.gateway.call(billingContracts.admitHold, request, options);
        booked.admitted = state === 'held' ? 'held' : 'attached';
        return;
      } catch (error) {
        if (isRefusal(error)) {
          booked.admitted = 'refused';
          return;
        }
      }
      await delay(REPEAT_AFTER_MS);
    } while (repeats && performance.now() < untilMs);
  }

  /** @returns whether it was kept; not, when the request runs no more */
  private async keepReply(booked: BookedRequest, bytes: number): Promise<boolean> {
    const { holdId, wallet } = booked;
    // Looks like what is stored in earnest: bytes that mean nothing to us.
    const reply = Buffer.alloc(bytes, createHash('sha256').update(holdId).digest());
    const untilMs = performance.now() + GIVE_UP_MS;
    do {
      try {
        const request = { wallet, holdId, part: 0, bytes: reply.toString('base64') };
        await this.stack.dispatch.call(billingContracts.storeResponse, request, { timeoutMs: PATIENCE_MS });
        booked.reply = reply;
        return true;
      } catch (error) {
        if (isRefusal(error)) return false;
      }
      await delay(REPEAT_AFTER_MS);
    } while (performance.now() < untilMs);
    return false;
  }

  private async renewFor(booked: BookedRequest, forMs: number): Promise<void> {
    const untilMs = performance.now() + forMs;
    const holds = [{ wallet: booked.wallet, holdId: booked.holdId }];
    while (performance.now() < untilMs) {
      await this.stack.dispatch
        .call(billingContracts.renewHolds, { holds }, { timeoutMs: PATIENCE_MS })
        .catch(() => undefined);
      await delay(LEASE_MS / 5);
    }
  }

  /** By a call; by the queue when that is not answered. */
  private async settle(booked: BookedRequest, outcome: 'post' | 'void'): Promise<void> {
    booked.sent.add(outcome);
    try {
      const request = settlementOf(booked, outcome);
      const options = { timeoutMs: PATIENCE_MS };
      booked.answers.push(await this.stack.dispatch.call(billingContracts.settleHold, request, options));
    } catch (error) {
      if (isRefusal(error)) throw error;
      await this.defer(booked, outcome);
    }
  }

  private async defer(
    booked: BookedRequest,
    outcome: 'post' | 'void' | 'abandon',
    copy = 'once',
  ): Promise<void> {
    booked.sent.add(outcome);
    const id = `${booked.holdId}:${outcome}:${copy}`;
    await this.fromDispatch.publish(SETTLEMENT_QUEUE.deferSubject, id, settlementOf(booked, outcome));
    booked.queued.add(outcome);
  }

  /** As the gateway lets go. */
  private async release(booked: BookedRequest): Promise<void> {
    booked.sent.add('abandon');
    const { holdId, wallet } = booked;
    const request: ReleaseHoldRequest = { holdId, wallet, outcome: 'abandon', reason: 'faults' };
    await this.fromGateway.publish(SETTLEMENT_QUEUE.releaseSubject, `${holdId}:abandon`, request);
    booked.queued.add('abandon');
  }

  private async refund(booked: BookedRequest): Promise<void> {
    booked.sent.add('refund');
    const { wallet, holdId } = booked;
    await this.stack.operator.refund(wallet, holdId);
  }

  private claimOf(wallet: string): IdempotencyClaim {
    // Of a few, so that callers meet under them; seldom with another body.
    const keyHash = digest(`${this.name.split('_')[0]}/${wallet}/${this.random.between(1, CLAIMS)}`);
    const request = this.random.chance(0.15) ? this.random.between(2, REQUESTS) : 1;
    return { keyHash, fingerprint: digest(`${keyHash}/${request}`) };
  }
}

function settlementOf(
  { holdId, wallet, cost }: BookedRequest,
  outcome: 'post' | 'void' | 'abandon',
): SettleHoldRequest {
  return outcome === 'post'
    ? { holdId, wallet, outcome, usage: usageOf(cost) }
    : { holdId, wallet, outcome, reason: 'faults' };
}

/** Whether billing decided; everything else is no answer. */
function isRefusal(error: unknown): boolean {
  return SvcError.is(error) && error.status < 500;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
