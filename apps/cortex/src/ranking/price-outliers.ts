import type { Candidate } from './candidate';

/** The most an offer may fail and still count as one that works, so that its price is held against others. */
export const WORKING_ERROR_RATE = 0.1;
/** How many times the reference an offer may ask: one that asks more is not tried. */
export const MOST_TIMES_REFERENCE = 4n;
/** How many of a provider's certified places its price counts for at most: more of them do not make it count for more. */
const MOST_WEIGHT = 4;
/** The reference is the price up to which this part of the weight is offered, in fifths. */
const REFERENCE_FIFTHS = 2;

/**
 * The most that an offer may ask for this request: far more than what the market asks is left out, so that what is held for a request,
 * which is the price at the dearest offer that is tried, follows the market and not whoever asks most; also while the cheap ones are full.
 * The reference is what two fifths of the working providers, weighed by the places they were certified for, ask at most: neither one
 * dear offer nor one place far below cost can push the others out. When none works, it is that of all. Pure; at least one of what it is
 * given asks no more.
 * @param candidates offers of one model
 * @returns in millionths of a base unit
 */
export function highestFairPrice(candidates: readonly Candidate[]): bigint {
  const working = candidates.filter(({ health }) => health.errorRate <= WORKING_ERROR_RATE);
  return referencePrice(working.length > 0 ? working : candidates) * MOST_TIMES_REFERENCE;
}

function referencePrice(candidates: readonly Candidate[]): bigint {
  const cheapestFirst = [...candidates].sort(byPrice);
  const left = new Map<string, number>();
  const weights = cheapestFirst.map(({ provider, concurrency }) => {
    const room = left.get(provider) ?? MOST_WEIGHT;
    const weight = Math.min(concurrency, room);
    left.set(provider, room - weight);
    return weight;
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let passed = 0;
  for (const [index, { price }] of cheapestFirst.entries()) {
    passed += weights[index] ?? 0;
    if (passed * 5 >= total * REFERENCE_FIFTHS) return price;
  }
  return 0n;
}

/** The lower price first. */
export function byPrice(
  { price: a }: Pick<Candidate, 'price'>,
  { price: b }: Pick<Candidate, 'price'>,
): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
