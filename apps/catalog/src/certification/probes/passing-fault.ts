import type { ProbeObservation } from '@svc/contracts';

/** What may be over a while later: a server that loads its model, is full, or starts anew. */
export interface PassingFault {
  /** Nobody is there: that is waited for once. */
  readonly isAbsence: boolean;
  /** When the server asked to come back, ms. */
  readonly retryAfterMs?: number;
}

const PASSING: ReadonlySet<string> = new Set([
  'connect_failed',
  'connection_lost',
  'status_429',
  'first_token_timeout',
  'chunk_timeout',
]);
/** Of a server's own errors those that say "not now" (RFC 9110, 15.6): others are the answer. */
const LASTING_STATUSES: ReadonlySet<number> = new Set([500, 501, 505]);

/** @returns undefined for a reply, and for what will be the same a while later */
export function passingFaultOf({ failure, status }: ProbeObservation): PassingFault | undefined {
  if (failure?.kind !== 'unavailable') return undefined;
  const { reason, retryAfterSeconds } = failure;
  const isNotNow = reason === 'status_5xx' && status !== undefined && !LASTING_STATUSES.has(status);
  if (!isNotNow && !PASSING.has(reason)) return undefined;
  return {
    isAbsence: reason === 'connect_failed',
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1_000 }),
  };
}
