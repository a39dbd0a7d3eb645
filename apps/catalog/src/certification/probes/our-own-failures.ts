import type { FailureReason } from '@svc/contracts';

/** Dispatch's own want of room, said as a failure. */
export const OUR_WANT_OF_ROOM = ['busy', 'offer_gone'] as const satisfies readonly FailureReason[];
/** What dispatch cannot do for us, now or later. */
export const OUR_LIMITS = [
  'schema_too_expensive',
  'schema_unusable',
  'crowded_out',
] as const satisfies readonly FailureReason[];

/** What probes are told of: the caller keeps from them what is our own. */
export type EndpointFailure = Exclude<
  FailureReason,
  (typeof OUR_WANT_OF_ROOM)[number] | (typeof OUR_LIMITS)[number]
>;
