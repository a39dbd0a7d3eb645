import { retryDelayMs } from '../retry-delay';
import { LIFTED_BY_CANARY } from '../watch-codes';
import type { WatchCode } from '../watch-codes';

/** How many canaries in a row must fail before an offer is taken off the market: one may have met a moment of overload. */
const FAILURES_TO_DRIFT = 2;

/**
 * How long after a canary that failed for what may pass the next one comes: heartbeats, too, have that long to find out that nearly nobody
 * answers, which is our fault.
 */
const PASSING_MS = 60_000;

const GONE: WatchCode = 'no_heartbeat';

/** What watching knows of an offer when a canary ends. */
interface WatchedOffer {
  watchCode: string | null;
  /** On the market: canaries in a row that failed. Off it: those that did since. */
  retries: number;
}

/**
 * - `passed`: it serves on
 * - `held`: it passed, which lifts nothing yet
 * - `failed`: once, or off the market again
 * - `suspend`: it drifted
 * - `reinstate`: back on the market
 */
export interface CanaryVerdict {
  effect: 'passed' | 'held' | 'failed' | 'suspend' | 'reinstate';
  retries: number;
  /** When the next canary is due; undefined: as planned. */
  againInMs?: number;
}

/**
 * What a canary's end means for its offer. What it failed for may be over a while later where `isPassing`.
 * @param endsFinding whether its passing would put an end to what was found
 */
export function judgeCanary(
  { watchCode, retries }: WatchedOffer,
  { passed, isPassing = false }: { passed: boolean; isPassing?: boolean },
  endsFinding = true,
): CanaryVerdict {
  if (passed && !endsFinding) return { effect: 'held', retries };
  if (passed) return { effect: watchCode === null ? 'passed' : 'reinstate', retries: 0 };
  // Heartbeats know already that nobody is there; once somebody answers them, it is back.
  if (watchCode === GONE && isPassing) return { effect: 'failed', retries, againInMs: PASSING_MS };
  const failures = retries + 1;
  if (watchCode !== null && LIFTED_BY_CANARY.includes(watchCode)) {
    return { effect: 'failed', retries: failures, againInMs: retryDelayMs(failures) };
  }
  if (failures < FAILURES_TO_DRIFT) {
    return { effect: 'failed', retries: failures, againInMs: isPassing ? PASSING_MS : 0 };
  }
  return { effect: 'suspend', retries: 0, againInMs: retryDelayMs(0) };
}

const DAY_MS = 86_400_000;
const RENEWAL_SHARE = 0.1;
/** How often the pause before the next try doubles: it grows from an eighth of `aheadMs` to all of it. */
const DOUBLINGS = 3;
/** As many of the longest pauses as have all failures in them that make a pause the longest; the time before began with one that passed. */
const REMEMBERED_PAUSES = DOUBLINGS + 2;

interface RenewalRules {
  /** How long before its end a certification is made anew. */
  aheadMs: number;
  /** The pause after the first try that fails; each further one doubles it, up to `doublings` times. */
  againMs: number;
  doublings: number;
  /** For how long tries that failed make pauses longer. */
  rememberedMs: number;
}

/** When a certification is made anew: in the last tenth of its time, a day at most; one that fails is tried again within it, and on. */
export function renewalRules(certificationTtlMs: number): RenewalRules {
  const aheadMs = Math.min(certificationTtlMs * RENEWAL_SHARE, DAY_MS);
  const againMs = aheadMs / 2 ** DOUBLINGS;
  return { aheadMs, againMs, doublings: DOUBLINGS, rememberedMs: aheadMs * REMEMBERED_PAUSES };
}
