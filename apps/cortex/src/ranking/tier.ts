import type { Candidate } from './candidate';

/** From this share of failures on an offer is tried after those that work. */
const FAILING_ERROR_RATE = 0.4;

/**
 * Best first: offers that work, then those that work and may find the prompt too long, then those that have been failing, then those that
 * are full.
 */
export const TIERS = { fit: 0, cramped: 1, failing: 2, full: 3 } as const;
type Tier = (typeof TIERS)[keyof typeof TIERS];

export function tierOf({
  health,
  concurrency,
  cramped,
}: Pick<Candidate, 'health' | 'concurrency' | 'cramped'>): Tier {
  if (health.inFlight >= concurrency) return TIERS.full;
  if (health.errorRate >= FAILING_ERROR_RATE) return TIERS.failing;
  return cramped ? TIERS.cramped : TIERS.fit;
}
