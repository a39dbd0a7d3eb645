import type { RunAttempt } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import { formatUsdc } from '@svc/money';
import { fingerprintOf } from '../attempt/planned-attempt';
import type { ServedOutcome } from '../attempt/attempt.service';
import { brokenOffError } from '../attempt/plan-error';
import type { Metered } from '../metering/meter';
import { usageBody } from '../metering/served-usage';
import { plainBody } from './reply-ending';
import type { SvcBody } from './reply-ending';
import type { Run } from './run';

const RETRY_AFTER_INTERRUPTION_SECONDS = 1;

/** The body of a plain reply. @param charged base units */
export function servedBody(
  { request }: Run,
  { planned, reply }: ServedOutcome,
  metered: Metered,
  charged: bigint,
): string {
  return plainBody(request, fingerprintOf(planned), reply, svcOf(planned, charged), usageBody(metered));
}

/** What the client is told of the charge. @param charged base units */
export function svcOf({ provider }: RunAttempt, charged: bigint): SvcBody {
  return { cost_usdc: formatUsdc(charged), provider };
}

/** What the client of a run is told that was not brought to its end, as JSON. @param delivered whether it has seen a part */
export function interruption({ delivered }: { delivered: boolean }): string {
  const error = delivered
    ? brokenOffError()
    : noCapacity('The request was interrupted. Nothing was charged.', RETRY_AFTER_INTERRUPTION_SECONDS);
  return JSON.stringify(error.payload);
}
