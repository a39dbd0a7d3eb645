import { MOST_WHY_CHARS } from '@svc/contracts';
import { TIERS, tierOf } from '../ranking/tier';
import type { PlanCandidate } from './plan-candidate';

const MILLION = 1_000_000n;

/**
 * Why a candidate stands where it stands, in words for people.
 * @param lowest the least that any ranked candidate asks, as in `Candidate.likelyPrice`
 */
export function whyPlanned(candidate: PlanCandidate, lowest: bigint): string {
  return say(standingWords(candidate, lowest), candidate);
}

export function whyManaged(candidate: PlanCandidate, alone: boolean): string {
  const when = alone ? 'no provider can take the request' : 'asked when no provider could';
  return say(`managed vendor, ${when}`, candidate);
}

export function whyNotDrawn(candidate: PlanCandidate, lowest: bigint): string {
  return say(`behind others, ${standingWords(candidate, lowest)}`, candidate);
}

export function whyOutlier({ price }: PlanCandidate): string {
  return `price outlier: ${baseUnits(price)}, more than four times what the market asks`.slice(
    0,
    MOST_WHY_CHARS,
  );
}

export function whyAboveCeiling({ offer: { view } }: PlanCandidate): string {
  return `above the ceiling: asks ${view.inputPricePerMtok} in, ${view.outputPricePerMtok} out per million tokens`;
}

function standingWords(candidate: PlanCandidate, lowest: bigint): string {
  const tier = tierOf(candidate);
  if (tier === TIERS.full) return 'full';
  if (tier === TIERS.failing) return 'failing';
  if (tier === TIERS.cramped) return 'small context';
  if (candidate.likelyPrice === lowest) return 'cheapest';
  if (lowest === 0n) return 'dearer';
  return `${(Number(candidate.likelyPrice) / Number(lowest)).toFixed(2)} times the cheapest`;
}

function say(lead: string, { price, health, concurrency }: PlanCandidate): string {
  const taken = Math.min(Math.round(health.inFlight), concurrency);
  const errors = Math.round(health.errorRate * 100);
  const first =
    health.firstTokenMs === undefined ? '' : `, first token ${Math.round(health.firstTokenMs)} ms`;
  const words = `${lead}: ${baseUnits(price)}, ${taken} of ${concurrency} places taken, ${errors}% errors${first}`;
  return words.slice(0, MOST_WHY_CHARS);
}

/** Rounded up once, as it would be charged. */
function baseUnits(price: bigint): string {
  return `${(price + MILLION - 1n) / MILLION} base units at most`;
}
