import type { Candidate } from './candidate';

/** From this share of failures on an offer is tried after those that work. */
export const FAILING_ERROR_RATE = 0.4;

/** Best first: offers that work, then those that have been failing, then those that are full. */
export const TIERS = { fit: 0, failing: 1, full: 2 } as const;
export type Tier = (typeof TIERS)[keyof typeof TIERS];

export function tierOf({ health, concurrency }: Pick<Candidate, 'health' | 'concurrency'>): Tier {
  if (health.inFlight >= concurrency) return TIERS.full;
  return health.errorRate >= FAILING_ERROR_RATE ? TIERS.failing : TIERS.fit;
}
