import { LEAST_BYTES_PER_TOKEN } from '@svc/contracts';
import type { HealthReport } from '@svc/contracts';
import type { WatchCode } from '../watch-codes';
import type { Evidence } from './offer-evidence';

/** From this share of failed attempts on an offer is failing, once there were `weight` attempts (old ones counting less). */
export const FAILING = { errorRate: 0.5, weight: 20 } as const;
/** From this share of replies that must not be delivered on an offer's output is invalid; fewer say enough. */
export const INVALID_OUTPUT = { invalidRate: 0.2, weight: 10 } as const;
/** Where this many offers or more were tried at once and not one request succeeded, the fault is nearer to us than to them. */
const OFFERS_TO_DOUBT_OURSELVES = 10;

/** Whether a report tells of a fault of our own, e.g. a dispatch that has lost its way to the outside: it is held against nobody. */
export function isOurFault({ offers }: HealthReport): boolean {
  const tried = offers.filter(({ succeeded, failed }) => succeeded + failed > 0);
  return tried.length >= OFFERS_TO_DOUBT_OURSELVES && tried.every(({ succeeded }) => succeeded === 0);
}

/** How many wallets must have met what speaks against an offer … */
export const WALLETS_TO_SUSPEND = 3;
/** … or how often fewer wallets must have met it: a server that fails its only client is no better, and has none who could confirm it. */
export const FAILURES_OF_FEW_WALLETS = 50;
/** From how many replies on claims must go with the bytes, see `LEAST_BYTES_PER_TOKEN`. One client may have digits only written. */
export const USAGE_INFLATED = { claims: 20 } as const;

/**
 * What evidence leads to:
 * - `suspend`: off the market
 * - `check`: a canary has a look at once; what is known may be one client's doing
 */
export type HealthVerdict = Suspicion & { act: 'suspend' | 'check' };

interface Suspicion {
  code: WatchCode;
  /** For the provider, in words. */
  reason: string;
}

/** @returns undefined while nothing speaks against the offer, or too little is known */
export function judgeHealth(evidence: Evidence): HealthVerdict | undefined {
  const { succeeded, failed, invalid, blamed, blamedInvalid, blamedBy, inflatedBy } = evidence;
  // What requests may have caused says nothing, for nobody.
  const failing = suspicionOf({ attempts: succeeded + blamed, failed: blamed, invalid: blamedInvalid });
  const often = failing?.code === 'invalid_output' ? blamedInvalid : blamed;
  if (failing && (blamedBy >= WALLETS_TO_SUSPEND || often >= FAILURES_OF_FEW_WALLETS)) {
    return { act: 'suspend', ...failing };
  }
  const inflated = inflationOf(evidence);
  if (inflated && inflatedBy >= WALLETS_TO_SUSPEND) return { act: 'suspend', ...inflated };
  const doubt = failing ?? inflated ?? suspicionOf({ attempts: succeeded + failed, failed, invalid });
  return doubt && { act: 'check', ...doubt };
}

function suspicionOf(of: { attempts: number; failed: number; invalid: number }): Suspicion | undefined {
  const { attempts, failed, invalid } = of;
  const recent = `of about ${Math.round(attempts)} recent requests`;
  // Invalid replies are failures too: of the two, this says more.
  if (attempts >= INVALID_OUTPUT.weight && invalid / attempts >= INVALID_OUTPUT.invalidRate) {
    return {
      code: 'invalid_output',
      reason: `${percent(invalid / attempts)} ${recent} were answered with what must not be delivered.`,
    };
  }
  if (attempts >= FAILING.weight && failed / attempts >= FAILING.errorRate) {
    return { code: 'failing', reason: `${percent(failed / attempts)} ${recent} failed.` };
  }
  return undefined;
}

function inflationOf({ claims, claimedTokens, outputBytes }: Evidence): Suspicion | undefined {
  if (claims < USAGE_INFLATED.claims || claimedTokens * LEAST_BYTES_PER_TOKEN <= outputBytes)
    return undefined;
  const bytesPerToken = (outputBytes / claimedTokens).toFixed(1);
  return {
    code: 'usage_inflated',
    reason: `About ${Math.round(claims)} recent replies claim a token for every ${bytesPerToken} bytes written; text has 3 to 5.`,
  };
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
