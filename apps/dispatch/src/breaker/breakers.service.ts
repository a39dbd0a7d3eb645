import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';
import type { Question } from '../provider-client/may-be-the-request';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { CircuitBreaker } from './circuit-breaker';
import type { Passage } from './circuit-breaker';
import { weightOf } from './failure-weight';

interface OfferBreaker {
  breaker: CircuitBreaker;
  /** Whose request was the last to fail in a way that it may have caused itself. */
  doubtedBy: string | undefined;
  /** Whose requests it has failed since it last served one; some of them where they are many. */
  readonly failedFor: Set<string>;
  /** Whose requests were kept from it since a request was last let through; some of them where they are many. */
  keptAway: string[];
}

/** More would make a short outage weigh like a long one. */
const MOST_KEPT_AWAY = 20;
const MOST_FAILED_FOR = 64;

/** The breakers of this instance, one an offer. */
@Injectable()
export class Breakers {
  private readonly breakers = new Map<string, OfferBreaker>();

  constructor(
    private readonly metrics: DispatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether the offer may be asked now. */
  admits(offerId: string): boolean {
    return this.breakers.get(offerId)?.breaker.admits(performance.now()) ?? true;
  }

  /** @returns undefined when the offer is not to be asked; else what became of the request is to be told */
  enter(offerId: string): Passage | undefined {
    return this.of(offerId).breaker.enter(performance.now());
  }

  succeeded(offerId: string, passage: Passage): void {
    const offer = this.of(offerId);
    offer.failedFor.clear();
    offer.breaker.succeeded(passage, performance.now());
  }

  failed(offerId: string, passage: Passage, failure: ProviderFailure, question: Question): void {
    const offer = this.of(offerId);
    const { wallet } = question.request.hold;
    if (offer.failedFor.size < MOST_FAILED_FOR) offer.failedFor.add(wallet);
    const weight = weightOf(failure, question);
    const pauseMs = failure.retryAfterSeconds === undefined ? undefined : failure.retryAfterSeconds * 1_000;
    if (pauseMs === undefined) {
      // One client alone must not close an offer to others with requests that it chooses, whatever is served in between.
      if (weight === 'none' || (weight === 'doubtful' && offer.doubtedBy === wallet)) {
        return offer.breaker.makeWay(passage);
      }
      if (weight === 'doubtful') offer.doubtedBy = wallet;
    }
    offer.breaker.failed(passage, performance.now(), pauseMs);
  }

  /** A request of that wallet was kept from the offer. */
  keptAway(offerId: string, wallet: string): void {
    const { keptAway } = this.of(offerId);
    if (keptAway.length < MOST_KEPT_AWAY) keptAway.push(wallet);
  }

  /**
   * Whose requests the next one that is let through stands for: they would have fared no better. Those alone whom the offer has failed
   * itself: what one client's requests bring about says nothing of what others' would have.
   */
  takeKeptAway(offerId: string): string[] {
    const offer = this.breakers.get(offerId);
    return offer?.keptAway.splice(0).filter((wallet) => offer.failedFor.has(wallet)) ?? [];
  }

  /** The request says nothing of the offer, or nothing yet (see `CircuitBreaker.makeWay`). */
  makeWay(offerId: string, passage: Passage): void {
    this.breakers.get(offerId)?.breaker.makeWay(passage);
  }

  /** Whole seconds until the offer may be asked again; undefined when it may be now. */
  retryAfterSeconds(offerId: string): number | undefined {
    const breaker = this.breakers.get(offerId)?.breaker;
    if (!breaker || breaker.state === 'closed') return undefined;
    return Math.max(1, Math.ceil(breaker.waitMs(performance.now()) / 1_000));
  }

  /** Forgets offers that are gone. */
  keepOnly(isOffered: (offerId: string) => boolean): void {
    for (const offerId of this.breakers.keys()) if (!isOffered(offerId)) this.breakers.delete(offerId);
  }

  private of(offerId: string): OfferBreaker {
    let offer = this.breakers.get(offerId);
    if (!offer) {
      const breaker = new CircuitBreaker((state) => {
        this.metrics.breakerBecame(offerId, state);
        this.logger.info({ offerId, state, openMs: breaker.waitMs(performance.now()) }, 'breaker changed');
      });
      offer = { breaker, doubtedBy: undefined, failedFor: new Set(), keptAway: [] };
      this.breakers.set(offerId, offer);
    }
    return offer;
  }
}
