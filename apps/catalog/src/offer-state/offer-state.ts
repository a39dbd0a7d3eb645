import type { OfferReason, OfferState } from '@svc/contracts';

/** What an offer's state follows from, as it stands in the tables. */
export interface OfferFacts {
  /** The newest signed version, and when it ends by itself. */
  version: number;
  expiresAt: Date;
  /** The newest certified version; all three are null before one was certified. */
  liveVersion: number | null;
  liveExpiresAt: Date | null;
  certifiedUntil: Date | null;
  withdrawnAt: Date | null;
  /** Which price of the version that serves is above what operators let offers of its model ask, in words. */
  aboveCeiling: string | null;
  /** Why an operator suspended the provider, or the offer. */
  providerSuspensionReason: string | null;
  suspensionReason: string | null;
  /** What watching found. */
  watchCode: string | null;
  watchReason: string | null;
  /** Of the newest full certification, when it was refused. */
  refusal: { probe: string; message: string } | null;
}

interface OfferStanding {
  state: OfferState;
  /** Why it is not live; absent for what is live, or has said all by its state. */
  reason?: OfferReason;
}

/**
 * The state of an offer at a moment. Of what speaks against an offer, what only a new signature can mend comes first, then what
 * people have decided, then what the marketplace itself found:
 *
 * 1. `withdrawn`
 * 2. `expired`: the newest version, the provider's last word, is over, whichever version serves
 * 3. `suspended`, code `price_above_ceiling`: operators have come to allow less than it asks
 * 4. `suspended`, code `provider_suspended`: an operator suspended the provider
 * 5. `suspended`, code `operator`: an operator suspended the offer
 * 6. `suspended`, with watching's code
 * 7. `refused` or `certifying`: no version is certified, or the one that is has ended and the newest is not certified yet
 * 8. `suspended`, code `certification_expired`
 * 9. `live`
 */
export function offerState(facts: OfferFacts, now: Date): OfferStanding {
  if (facts.withdrawnAt) return { state: 'withdrawn' };
  if (isOver(facts.expiresAt, now)) {
    const message = `Version ${facts.version} ended at ${facts.expiresAt.toISOString()}.`;
    return { state: 'expired', reason: { code: 'expired', message } };
  }
  return suspension(facts) ?? certification(facts, now) ?? { state: 'live' };
}

/** The next moment at which the state may change without anybody acting; undefined when there is none. */
export function nextMomentOf(facts: OfferFacts, now: Date): Date | undefined {
  let next: Date | undefined;
  for (const moment of [facts.expiresAt, facts.liveExpiresAt, facts.certifiedUntil]) {
    if (moment && !isOver(moment, now) && (!next || !isOver(next, moment))) next = moment;
  }
  return next;
}

function suspension(facts: OfferFacts): OfferStanding | undefined {
  if (facts.aboveCeiling !== null) return suspended('price_above_ceiling', facts.aboveCeiling);
  if (facts.providerSuspensionReason !== null) {
    return suspended('provider_suspended', facts.providerSuspensionReason);
  }
  if (facts.suspensionReason !== null) return suspended('operator', facts.suspensionReason);
  if (facts.watchCode !== null) return suspended(facts.watchCode, facts.watchReason ?? facts.watchCode);
  return undefined;
}

function suspended(code: string, message: string): OfferStanding {
  return { state: 'suspended', reason: { code, message } };
}

function certification(facts: OfferFacts, now: Date): OfferStanding | undefined {
  const { liveExpiresAt, certifiedUntil, refusal } = facts;
  if (facts.liveVersion === null || !liveExpiresAt || !certifiedUntil || isOver(liveExpiresAt, now)) {
    if (!refusal) return { state: 'certifying' };
    return { state: 'refused', reason: { code: refusal.probe, message: refusal.message } };
  }
  if (!isOver(certifiedUntil, now)) return undefined;
  const message = `The certification was good until ${certifiedUntil.toISOString()}.`;
  return suspended('certification_expired', message);
}

/** A moment given as an end is itself no longer within. */
function isOver(end: Date, now: Date): boolean {
  return end.getTime() <= now.getTime();
}
