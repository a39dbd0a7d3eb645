import type { Candidate } from './candidate';
import { drawOf } from './draw';
import { tierOf } from './tier';

/** What speaks for and against an offer, and how sharply. Found with the simulator: see `docs/routing.md`. */
interface RankingTuning {
  /** At twice the burdened price an offer is drawn 2^this times less often: 0 leaves price to chance, Infinity chance out. */
  readonly sharpness: number;
  /** With twice the free places an offer is drawn 2^this times as often. */
  readonly roominess: number;
  /** How many times an offer's price is added to it for certain failure, for no place free, and for a first token that takes 10 s. */
  readonly errorBurden: number;
  readonly loadBurden: number;
  readonly slownessBurden: number;
}

export const TUNING: RankingTuning = {
  sharpness: 6,
  roominess: 0.5,
  errorBurden: 8,
  loadBurden: 1,
  slownessBurden: 8,
};

/** A first token that takes this long or longer burdens an offer in full. */
const SLOWEST_FIRST_TOKEN_MS = 10_000;

/**
 * Orders the offers that could serve a request, best first. Within a tier the order is drawn: the lower its burdened price, which is
 * what this request probably costs, made dearer by what the offer's failures, load and slowness are likely to cost, and the more free places it
 * has, the likelier an offer comes first. So requests that are planned at once do not all go to the cheapest. Pure: chance comes from
 * the seed, and the same inputs give the same order, in whatever order they come.
 * @param seed of the request: `hashOf` its id
 */
export function rankCandidates<T extends Candidate>(
  candidates: readonly T[],
  seed: number,
  tuning: RankingTuning = TUNING,
): T[] {
  return candidates
    .map((candidate) => ({
      candidate,
      tier: tierOf(candidate),
      key: drawKey(candidate, seed, tuning),
    }))
    .sort((a, b) => a.tier - b.tier || a.key - b.key || compareText(a.candidate.offerId, b.candidate.offerId))
    .map(({ candidate }) => candidate);
}

/** What the request probably costs, made dearer by what else speaks against the offer. Free offers cost next to nothing, so that they compare. */
function burdenedPrice({ likelyPrice, health, concurrency }: Candidate, tuning: RankingTuning): number {
  const load = Math.min(health.inFlight / concurrency, 1);
  const slowness = Math.min((health.firstTokenMs ?? 0) / SLOWEST_FIRST_TOKEN_MS, 1);
  // Load squared: an offer that is half taken is hardly worse off, one that is nearly full is.
  const burden =
    health.errorRate * tuning.errorBurden +
    load * load * tuning.loadBurden +
    slowness * tuning.slownessBurden;
  return (Number(likelyPrice) + 1) * (1 + burden);
}

/**
 * Sorting by -ln(u)/w, u evenly distributed, draws without replacement with weights w (Efraimidis and Spirakis, 2006). Here is its
 * logarithm, which does not overflow.
 */
function drawKey(candidate: Candidate, seed: number, tuning: RankingTuning): number {
  const { health, concurrency, hash } = candidate;
  const price = Math.log(burdenedPrice(candidate, tuning));
  if (tuning.sharpness === Infinity) return price;
  const chance = Math.log(-Math.log(drawOf(seed, hash)));
  const room = Math.log(Math.max(concurrency - health.inFlight, 1));
  return chance + tuning.sharpness * price - tuning.roominess * room;
}

/** By code unit, the same on every machine. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
