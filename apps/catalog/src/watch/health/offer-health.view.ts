import { Injectable } from '@nestjs/common';
import type { OfferHealthReport } from '@svc/contracts';
import { OfferEstimate } from './offer-estimate';
import type { HealthFigures } from './offer-estimate';
import type { Evidence } from './offer-evidence';

/** Of how many offers something is remembered: of those heard of last. */
export const MOST_OFFERS = 20_000;

/**
 * How offers are doing, from what dispatch tells of real traffic. In memory, by the same reports on every instance; a new one knows
 * soon enough.
 */
@Injectable()
export class OfferHealthView {
  /** The one heard of last stands last. */
  private readonly estimates = new Map<string, OfferEstimate>();

  /**
   * How an offer has been doing of late; without any figures when nothing was heard of it.
   * @param nowMs monotonic time
   */
  of(offerId: string, nowMs = performance.now()): Omit<HealthFigures, 'weight'> {
    const { weight, ...figures } = this.figures(offerId, nowMs);
    return weight === 0 ? {} : figures;
  }

  figures(offerId: string, nowMs = performance.now()): HealthFigures {
    return this.estimates.get(offerId)?.figures(nowMs) ?? { weight: 0 };
  }

  /** Whether a request succeeded within the last `ms`. */
  succeededWithin(offerId: string, ms: number, nowMs = performance.now()): boolean {
    return nowMs - (this.estimates.get(offerId)?.lastSuccessMs ?? -Infinity) < ms;
  }

  /** Whether something came of the offer within the last `ms`, if only a part of a reply. */
  livedWithin(offerId: string, ms: number, nowMs = performance.now()): boolean {
    return nowMs - (this.estimates.get(offerId)?.lastLifeMs ?? -Infinity) < ms;
  }

  /** @returns undefined when nothing was heard of the offer */
  evidence(offerId: string, nowMs = performance.now()): Evidence | undefined {
    return this.estimates.get(offerId)?.evidence(nowMs);
  }

  /** @returns whether none was within the last `ms`: then this is one */
  mayCheck(offerId: string, ms: number, nowMs = performance.now()): boolean {
    const estimate = this.estimates.get(offerId);
    if (!estimate || nowMs - estimate.checkedMs < ms) return false;
    estimate.checkedMs = nowMs;
    return true;
  }

  /** Takes what one dispatch instance tells of one offer since its last report. */
  record(report: OfferHealthReport, nowMs = performance.now()): void {
    const { offerId } = report;
    const estimate = this.estimates.get(offerId) ?? new OfferEstimate(nowMs);
    estimate.add(report, nowMs);
    this.estimates.delete(offerId);
    this.estimates.set(offerId, estimate);
    if (this.estimates.size <= MOST_OFFERS) return;
    const [longestSilent] = this.estimates.keys();
    if (longestSilent !== undefined) this.estimates.delete(longestSilent);
  }

  /** Forgets an offer's past: what was held against it once is not held against it again after it came back. */
  forget(offerId: string): void {
    this.estimates.delete(offerId);
  }
}
