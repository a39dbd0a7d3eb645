import { noCapacity } from '@svc/errors';
import { fingerprintOf } from '../attempt/planned-attempt';
import type { Metered } from '../metering/meter';
import { usageBody } from '../metering/served-usage';
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

/** What the client of a run is told that was not brought to its end, by no fault of a provider's. */
export const INTERRUPTED = noCapacity(
  'The request was interrupted. Nothing was charged.',
  RETRY_AFTER_INTERRUPTION_SECONDS,
).payload;

/** `INTERRUPTED` as JSON. */
export const INTERRUPTION = JSON.stringify(INTERRUPTED);
