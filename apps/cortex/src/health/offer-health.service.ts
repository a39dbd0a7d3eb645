import { Injectable } from '@nestjs/common';
import { HEALTH_REPORT_MS } from '@svc/contracts';
import type { HealthReport } from '@svc/contracts';
import type { OfferHealth } from '../ranking/candidate';
import { OfferRecord } from './offer-record';

/** How long a dispatch instance may say nothing: after that it is gone, and what it had in flight with it. */
export const SILENCE_MS = 5_000;
const SWEEP_MS = 60_000;

const NEVER_HEARD_OF: OfferHealth = { errorRate: 0, firstTokenMs: undefined, inFlight: 0 };

interface Instance {
  heardMs: number;
  /** What time its last report was about. */
  sinceMs: number;
  inFlight: ReadonlyMap<string, number>;
}

/**
 * How offers are doing, from what dispatch tells of real traffic, and from what was planned here since. In memory: a new cortex knows
 * soon enough.
 */
@Injectable()
export class OfferHealthService {
  private readonly records = new Map<string, OfferRecord>();
  private readonly instances = new Map<string, Instance>();
  /** When the instance that has been silent longest counts as gone. */
  private silentAtMs = Infinity;
  private sweptMs = -Infinity;

  /**
   * Takes one instance's report of what happened since its last one, or a part of it.
   * @param nowMs monotonic time
   */
  record(report: HealthReport, nowMs = performance.now()): void {
    this.forgetSilent(nowMs);
    const last = this.instances.get(report.instanceId);
    const begun = report.continues ? last : undefined;
    const sinceMs = begun?.sinceMs ?? Math.min(nowMs - (last?.heardMs ?? -Infinity), HEALTH_REPORT_MS);
    // Offers that a report leaves out have nothing in flight there.
    const inFlight = new Map(begun?.inFlight);
    for (const offer of report.offers) inFlight.set(offer.offerId, offer.inFlight);
    this.instances.set(report.instanceId, { heardMs: nowMs, sinceMs, inFlight });
    for (const offer of report.offers) this.recordOf(offer.offerId, nowMs).observe(offer, sinceMs, nowMs);
    this.tellLoad(nowMs);
    this.sweep(nowMs);
  }

  /** A request is planned to go to the offer first. */
  planned(offerId: string, nowMs = performance.now()): void {
    this.recordOf(offerId, nowMs).plan(nowMs);
  }

  /** An offer of which nothing was heard counts as healthy and idle. */
  of(offerId: string, nowMs = performance.now()): OfferHealth {
    if (nowMs >= this.silentAtMs) this.forgetSilent(nowMs);
    return this.records.get(offerId)?.health(nowMs) ?? NEVER_HEARD_OF;
  }

  private recordOf(offerId: string, nowMs: number): OfferRecord {
    let record = this.records.get(offerId);
    if (!record) this.records.set(offerId, (record = new OfferRecord(nowMs)));
    return record;
  }

  /** One instance has spoken, or has not for too long: what is under way everywhere, summed anew. */
  private tellLoad(nowMs: number): void {
    const instances = [...this.instances.values()];
    this.silentAtMs = Math.min(...instances.map(({ heardMs }) => heardMs)) + SILENCE_MS;
    for (const [offerId, record] of this.records) {
      let inFlight = 0;
      for (const instance of instances) inFlight += instance.inFlight.get(offerId) ?? 0;
      record.report(inFlight, 1 / Math.max(instances.length, 1), nowMs);
    }
  }

  private forgetSilent(nowMs: number): void {
    if (nowMs < this.silentAtMs) return;
    for (const [id, { heardMs }] of this.instances) {
      if (nowMs - heardMs >= SILENCE_MS) this.instances.delete(id);
    }
    this.tellLoad(nowMs);
  }

  private sweep(nowMs: number): void {
    if (nowMs - this.sweptMs < SWEEP_MS) return;
    this.sweptMs = nowMs;
    for (const [id, record] of this.records) if (record.forgotten(nowMs)) this.records.delete(id);
  }
}
