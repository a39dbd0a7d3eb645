import { noCapacity } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import { fingerprintOf } from '../attempt/planned-attempt';
import type { Metered } from '../metering/meter';
import { usageBody } from '../metering/served-usage';
import { brokenOffError } from '../plan/plan-error';
import type { ServedOutcome } from '../plan/plan-outcome';
import { plainBody } from './reply-ending';
import type { Run } from './run';
import type { SvcBody } from './svc-body';

const RETRY_AFTER_INTERRUPTION_SECONDS = 1;

/** The body of a plain reply. */
export function servedBody(
  { request }: Run,
  { planned, reply }: ServedOutcome,
  metered: Metered,
  svc: SvcBody,
): string {
  return plainBody(request, fingerprintOf(request, planned), reply, svc, usageBody(metered));
}

/** What the client of a run is told that was not brought to its end. @param delivered whether it has seen a part */
export function interruptionError({ delivered }: { delivered: boolean }): SvcError {
  if (delivered) return brokenOffError();
  return noCapacity('The request was interrupted. Nothing was charged.', RETRY_AFTER_INTERRUPTION_SECONDS);
}

/** `interruptionError` as JSON. */
export function interruption(output: { delivered: boolean }): string {
  return JSON.stringify(interruptionError(output).payload);
}
