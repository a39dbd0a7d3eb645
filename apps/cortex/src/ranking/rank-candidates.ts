import type { Candidate, Demand } from './candidate';
import { requestPrice } from './request-price';

/** From this share of failures on an offer is tried after those that work. */
export const FAILING_ERROR_RATE = 0.4;

/** Best first: offers that work, then those that have been failing, then those that are full. */
const TIERS = { fit: 0, failing: 1, full: 2 } as const;

/** A burden in thousandths of the price, so that ranking stays in whole numbers. */
const MILLE = 1_000;
/** Certain failure makes an offer count as three times its price. */
const ERROR_BURDEN = 2 * MILLE;
/** All places but none taken make it count as twice its price; half of them, by a quarter more. */
const LOAD_BURDEN = MILLE;
/** So does a first token that takes this long, or longer. */
const SLOWEST_FIRST_TOKEN_MS = 10_000;

/**
 * Orders the offers that could serve a request, best first. Within a tier the lower burdened price wins: the price of this
 * request, made dearer by what the offer's failures, load and slowness are likely to cost. Pure: the same inputs give the same
 * order, in whatever order they come.
 */
export function rankCandidates<T extends Candidate>(candidates: readonly T[], demand: Demand): T[] {
  return candidates
    .map((candidate) => ({ candidate, rank: rankOf(candidate, demand) }))
    .sort((a, b) => compareRanks(a.rank, b.rank) || compareText(a.candidate.offerId, b.candidate.offerId))
    .map(({ candidate }) => candidate);
}

interface Rank {
  tier: number;
  burdenedPrice: bigint;
  burden: number;
}

function rankOf(candidate: Candidate, demand: Demand): Rank {
  const burden = burdenOf(candidate);
  const burdenedPrice = requestPrice(candidate, demand) * BigInt(MILLE + burden);
  return { tier: tierOf(candidate), burdenedPrice, burden };
}

function tierOf({ health, concurrency }: Candidate): number {
  if (health.inFlight >= concurrency) return TIERS.full;
  return health.errorRate >= FAILING_ERROR_RATE ? TIERS.failing : TIERS.fit;
}

/** What speaks against an offer besides its price, in thousandths of it. */
function burdenOf({ health, concurrency }: Candidate): number {
  const load = Math.min(health.inFlight / concurrency, 1);
  const slowness = Math.min((health.firstTokenMs ?? 0) / SLOWEST_FIRST_TOKEN_MS, 1);
  // Squared: an offer that is half taken is hardly worse off, one that is nearly full is.
  return Math.round(health.errorRate * ERROR_BURDEN + load * load * LOAD_BURDEN + slowness * MILLE);
}

/** Free offers all have the price 0: among them the burden alone decides. */
function compareRanks(a: Rank, b: Rank): number {
  if (a.tier !== b.tier) return a.tier - b.tier;
  if (a.burdenedPrice !== b.burdenedPrice) return a.burdenedPrice < b.burdenedPrice ? -1 : 1;
  return a.burden - b.burden;
}

/** By code unit, the same on every machine. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
