import type { ProbeInterruptedError } from './probe-interrupted.error';
import type { Figures, Verdict } from './probes/probe';

/** How many times as long as the first pause the second is. */
const LONGER = 4;
const REQUIRED_TRIES = 3;
/** Of optional probes, and where nobody was there. */
const OTHER_TRIES = 2;
/** Of what is our own fault, and hardly better some other time. */
const FAULT_TRIES = 5;

/** How often a probe has been done in vain; kept with its figures, so that a run that goes on elsewhere knows. */
export interface Tries {
  readonly tries: number;
  readonly faults: number;
}

export function triesOf({ tries = 0, faults = 0 }: Figures): Tries {
  return { tries, faults };
}

/** Whether a verdict that came of what may pass is left open, and the probe done again after a while. */
export function isLeftOpen(isRequired: boolean, { passing, passed }: Verdict, { tries }: Tries): boolean {
  if (!passing) return false;
  const most = isRequired && !passed && !passing.isAbsence ? REQUIRED_TRIES : OTHER_TRIES;
  return tries + 1 < most;
}

/** Whether a probe that met a fault of our own is done again. */
export function isWorthAnotherTry({ faults }: Tries): boolean {
  return faults + 1 < FAULT_TRIES;
}

/**
 * How long to wait before a probe is done again, ms: the first time as told, the second longer, and as long as the server asked for
 * where that is no longer than the second.
 */
export function pauseBefore({ wait }: ProbeInterruptedError, firstMs: number): number {
  const { tries = 1, retryAfterMs = 0 } = wait ?? {};
  const longestMs = firstMs * LONGER;
  return Math.max(tries > 1 ? longestMs : firstMs, Math.min(retryAfterMs, longestMs));
}
