import type { OfferHealthReport } from '@svc/contracts';

/** What a report says of an offer of which nothing is told but `changes`. */
export function healthOf(offerId: string, changes: Partial<OfferHealthReport> = {}): OfferHealthReport {
  return { offerId, succeeded: 0, failed: 0, invalid: 0, inFlight: 0, ...changes };
}
