import type { RequestFailure } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import type { ErrorCode, ErrorPayload, SvcError } from '@svc/errors';
import { formatUsdc } from '@svc/money';
import type { RunOutcome } from '../dispatch.metrics';
import type { PlanTrail } from '../plan/plan-trail';
import type { AnyRun } from '../live-run/run';

const RETRY_AFTER_INTERRUPTION_SECONDS = 1;

/** What the client of a run is told that was not brought to its end, by no fault of a provider's. */
export const INTERRUPTED = noCapacity(
  'The request was interrupted. Nothing was charged.',
  RETRY_AFTER_INTERRUPTION_SECONDS,
).payload;

/** What a client did by which its own reply ended. */
const ENDED_BY_CLIENT = {
  slow_reader: 'The reply was read so slowly that the provider closed the connection.',
  crowded_out:
    'More and larger requests are under way than there is room for, and yours take the most of it.',
};

/** What the client of a run is told that had to give way to others'. */
const CROWDED_OUT = noCapacity(`${ENDED_BY_CLIENT.crowded_out} Nothing was charged.`).payload;

/** What the client of a run is told that was stopped. */
export function interruptionOf({ stopReason }: AnyRun): ErrorPayload {
  return stopReason === 'crowded_out' ? CROWDED_OUT : INTERRUPTED;
}

/** `INTERRUPTED` as JSON. */
export const INTERRUPTION = JSON.stringify(INTERRUPTED);

/**
 * What a client is told whose reply ended in its middle for what itself did.
 * @param charged for what it has seen, base units
 */
export function endedByClient(reason: keyof typeof ENDED_BY_CLIENT, charged: bigint): ErrorPayload {
  const costUsdc = formatUsdc(charged);
  return {
    code: 'no_capacity',
    message: `${ENDED_BY_CLIENT[reason]} What was passed on until then is charged: ${costUsdc} USDC.`,
    costUsdc,
  };
}

/**
 * How a run failed, for its owner.
 * @param code what the client is told; undefined when it has left
 * @param trail as far as the run came along its plan
 */
export function runFailure(run: AnyRun, code: ErrorCode | undefined, trail?: PlanTrail): RequestFailure {
  return {
    ...(code !== undefined && { code }),
    ...(trail && { attempts: trail.asked, route: trail.route }),
    totalMs: Math.round(run.elapsedMs),
  };
}

/** @param error what the client is told when no offer served */
export function failedOutcome({ code }: SvcError): RunOutcome {
  return code === 'no_capacity' || code === 'invalid_request' ? code : 'provider_output_invalid';
}
