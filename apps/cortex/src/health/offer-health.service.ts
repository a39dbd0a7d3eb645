import { Injectable } from '@nestjs/common';
import type { HealthReport } from '@svc/contracts';
import type { OfferHealth } from '../ranking/candidate';
import { DecayedOutcomes } from './decayed-outcomes';

/** A dispatch instance that says nothing for so long is gone, and what it had in flight with it. */
export const SILENCE_MS = 5_000;
const SWEEP_MS = 60_000;

interface Instance {
  heardMs: number;
  inFlight: ReadonlyMap<string, number>;
}

/** How offers are doing, from what dispatch tells of real traffic. In memory: a new cortex knows soon enough. */
@Injectable()
export class OfferHealthService {
  private readonly outcomes = new Map<string, DecayedOutcomes>();
  private readonly instances = new Map<string, Instance>();
  private sweptMs = -Infinity;

  /**
   * Takes one instance's report of what happened since its last one.
   * @param nowMs monotonic time
   */
  record(report: HealthReport, nowMs = performance.now()): void {
    this.sweep(nowMs);
    const inFlight = new Map(report.offers.map((offer) => [offer.offerId, offer.inFlight]));
    // Offers that a report leaves out have nothing in flight there.
    this.instances.set(report.instanceId, { heardMs: nowMs, inFlight });
    for (const offer of report.offers) {
      if (offer.succeeded + offer.failed === 0) continue;
      let outcomes = this.outcomes.get(offer.offerId);
      if (!outcomes) this.outcomes.set(offer.offerId, (outcomes = new DecayedOutcomes(nowMs)));
      outcomes.add(offer, nowMs);
    }
  }

  /** An offer of which nothing was heard counts as healthy and idle. */
  of(offerId: string, nowMs = performance.now()): OfferHealth {
    const outcomes = this.outcomes.get(offerId);
    return {
      errorRate: outcomes?.errorRate(nowMs) ?? 0,
      firstTokenMs: outcomes?.firstTokenMs(nowMs),
      inFlight: this.inFlight(offerId, nowMs),
    };
  }

  private inFlight(offerId: string, nowMs: number): number {
    let sum = 0;
    for (const { heardMs, inFlight } of this.instances.values()) {
      if (nowMs - heardMs < SILENCE_MS) sum += inFlight.get(offerId) ?? 0;
    }
    return sum;
  }

  private sweep(nowMs: number): void {
    for (const [id, { heardMs }] of this.instances) {
      if (nowMs - heardMs >= SILENCE_MS) this.instances.delete(id);
    }
    if (nowMs - this.sweptMs < SWEEP_MS) return;
    this.sweptMs = nowMs;
    for (const [id, outcomes] of this.outcomes) if (outcomes.forgotten(nowMs)) this.outcomes.delete(id);
  }
}
