import type { FailureReason, ProbeObservation } from '@svc/contracts';
import { failedFor } from './failed-for';

/** What may be over a while later: a server that loads its model, is full, or starts anew. */
export interface PassingFault {
  /** Nobody is there: that is waited for once. */
  readonly isAbsence: boolean;
  /** When the server asked to come back, ms. */
  readonly retryAfterMs?: number;
}

/** Worth another try then; `status_5xx` is judged by its status. */
const TRIED_LATER: ReadonlySet<FailureReason> = new Set([
  'connect_failed',
  'connection_lost',
  'status_429',
  'first_token_timeout',
  'chunk_timeout',
]);
/** Of a server's own errors those that say "not now" (RFC 9110, 15.6): others are the answer. */
const LASTING_STATUSES: ReadonlySet<number> = new Set([500, 501, 505]);

/** @returns undefined for a reply, and for what will be the same a while later */
export function passingFaultOf(observation: ProbeObservation): PassingFault | undefined {
  const { failure, status } = observation;
  if (failure?.kind !== 'unavailable') return undefined;
  const { retryAfterSeconds } = failure;
  const isNotNow =
    failedFor(observation, 'status_5xx') && status !== undefined && !LASTING_STATUSES.has(status);
  if (!isNotNow && !failedFor(observation, TRIED_LATER)) return undefined;
  return {
    isAbsence: failedFor(observation, 'connect_failed'),
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1_000 }),
  };
}
