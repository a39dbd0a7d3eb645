import { LIFTED_BY_CANARY, UNWATCHED } from './watch-codes';

/** What watching holds against an offer, and until when it does at least. */
export interface Finding {
  watchCode: string | null;
  watchReason: string | null;
  watchSince: Date | null;
  retryAt: Date | null;
  retries: number;
}

/**
 * Whether a run that has passed, a canary or a full one, puts an end to what watching found. It shows nothing of what was found after it
 * had been asked for; and what only canaries lift stands out its pause, or whoever cheats would be back for the price of signing anew.
 * Pure.
 */
export function endsFinding(
  { watchCode, watchSince, retryAt }: Pick<Finding, 'watchCode' | 'watchSince' | 'retryAt'>,
  requestedAt: Date,
  now: Date,
): boolean {
  // An offer that has just answered probes has a pulse as well.
  if (watchCode === null || !LIFTED_BY_CANARY.includes(watchCode)) return true;
  // The clock was set back since, and nobody can tell any more how long ago that was.
  if (isAfter(watchSince, now)) return true;
  return !isAfter(watchSince, requestedAt) && !isAfter(retryAt, now);
}

/**
 * What stands of watching once an offer begins anew, certified or signed again: nothing, or what was found, until the canary that comes
 * after its pause. Pure.
 */
export function watchedAnew(finding: Finding, requestedAt: Date, now: Date) {
  if (endsFinding(finding, requestedAt, now)) return UNWATCHED;
  const { watchCode, watchReason, watchSince, retryAt, retries } = finding;
  return { ...UNWATCHED, watchCode, watchReason, watchSince, retryAt, retries, nextCanaryAt: retryAt };
}

function isAfter(moment: Date | null, other: Date): boolean {
  return moment !== null && moment.getTime() > other.getTime();
}
