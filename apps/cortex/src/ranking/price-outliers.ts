import type { Candidate, Demand } from './candidate';
import { requestPrice } from './request-price';

/** The best an offer may fail and still count as one that works, so that its price is held against others. */
export const WORKING_ERROR_RATE = 0.1;
/** An offer that asks more than so many times the reference is not tried. */
export const MOST_TIMES_REFERENCE = 4n;

/**
 * Leaves out the offers that ask far more for this request than the cheapest one that works, so that what is held for a request,
 * which is the price at the dearest offer that is tried, follows the market and not whoever asks most; also while the cheap ones are
 * full. The reference is the cheapest that works, whether it has room or not; when none works, the cheapest of all. Pure; keeps the
 * order; keeps at least one of what it is given.
 */
export function withoutPriceOutliers<T extends Candidate>(candidates: readonly T[], demand: Demand): T[] {
  const priced = candidates.map((candidate) => ({ candidate, price: requestPrice(candidate, demand) }));
  const working = priced.filter(({ candidate }) => candidate.health.errorRate <= WORKING_ERROR_RATE);
  let reference: bigint | undefined;
  for (const { price } of working.length > 0 ? working : priced) {
    if (reference === undefined || price < reference) reference = price;
  }
  const most = (reference ?? 0n) * MOST_TIMES_REFERENCE;
  return priced.filter(({ price }) => price <= most).map(({ candidate }) => candidate);
}
