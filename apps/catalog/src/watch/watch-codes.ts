/**
 * Why watching takes an offer off the market (`offers.watch_code`):
 * - `no_heartbeat`: the endpoint does not answer
 * - `failing`, `invalid_output`: real requests fail, or are answered with what must not be delivered
 * - `usage_inflated`: replies claim more tokens than their bytes can be
 * - `drift`: canaries find that it is not what was certified any more
 */
export type WatchCode = 'no_heartbeat' | 'failing' | 'invalid_output' | 'usage_inflated' | 'drift';

/** What only a canary that passes shows to be over; the endpoint's answering alone says nothing of it. */
export const LIFTED_BY_CANARY: readonly string[] = [
  'failing',
  'invalid_output',
  'usage_inflated',
  'drift',
] satisfies WatchCode[];

/** Nothing of watching's speaks against the offer any more; its next canary is planned anew. */
export const UNWATCHED = {
  watchCode: null,
  watchReason: null,
  watchSince: null,
  retryAt: null,
  retries: 0,
  missedHeartbeats: 0,
  nextCanaryAt: null,
  busyCanaries: 0,
  busySince: null,
} as const;

/** Who acts, in the audit trail. */
export const WATCH_ACTOR = 'catalog';
export const SUSPENDED_ACTION = 'offer.suspended';
export const REINSTATED_ACTION = 'offer.reinstated';
