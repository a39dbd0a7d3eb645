import { isFailureReason } from '@svc/contracts';
import type { FailureReason, ProbeObservation } from '@svc/contracts';

/** Whether that is why there is no reply; a word that only another version of dispatch has is none of these. */
export function failedFor(
  { failure }: Pick<ProbeObservation, 'failure'>,
  reasons: FailureReason | ReadonlySet<FailureReason>,
): boolean {
  const reason = failure?.reason;
  if (!isFailureReason(reason)) return false;
  return typeof reasons === 'string' ? reason === reasons : reasons.has(reason);
}
