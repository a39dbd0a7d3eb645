import { tierOf } from '../ranking/tier';
import type { PlanCandidate } from './plan-candidate';

/** How many offers of the marketplace are tried for one request at most. */
export const MOST_ATTEMPTS = 4;
/** How many offers of a model are tried before the next model has its turn: what fails one offer of a model may fail all. */
const MOST_OF_A_MODEL_BEFORE_OTHERS = 2;
/** How many of a provider are tried before another has its turn: what fails one of its offers, a machine or a line, may fail all. */
const MOST_OF_A_PROVIDER_BEFORE_OTHERS = 2;

/**
 * Chooses whom to try, in which order: all of a tier before any of the next, so that none that fails or is full is tried while one that works
 * is left. Within a tier the best offer's model comes first, with its two best offers, then the next model's; when all models had their
 * turn, counting those in tiers before, what is left in the order of its rank. Of offers of one model these are the best ones in their order,
 * except that a provider's third waits for others' first. Pure.
 * @param offers as they are ranked, best first
 */
export function pickAttempts(offers: readonly PlanCandidate[]): PlanCandidate[] {
  const ranked = spread(offers);
  const picked: PlanCandidate[] = [];
  for (const tier of new Set(ranked.map(tierOf))) {
    const alike = ranked.filter((candidate) => tierOf(candidate) === tier);
    for (const model of new Set(alike.map(modelOf))) {
      const room = MOST_OF_A_MODEL_BEFORE_OTHERS - picked.filter((each) => modelOf(each) === model).length;
      picked.push(...alike.filter((each) => modelOf(each) === model).slice(0, Math.max(0, room)));
    }
    picked.push(...alike.filter((each) => !picked.includes(each)));
  }
  return picked.slice(0, MOST_ATTEMPTS);
}

/** Puts a provider's third offer, and those after it, behind others' of the same tier. */
function spread(ranked: readonly PlanCandidate[]): PlanCandidate[] {
  const taken = new Map<string, number>();
  const isOneTooMany = ranked.map(({ provider }) => {
    const before = taken.get(provider) ?? 0;
    taken.set(provider, before + 1);
    return before >= MOST_OF_A_PROVIDER_BEFORE_OTHERS;
  });
  return ranked
    .map((candidate, index) => ({ candidate, tier: tierOf(candidate), behind: Number(isOneTooMany[index]) }))
    .sort((a, b) => a.tier - b.tier || a.behind - b.behind)
    .map(({ candidate }) => candidate);
}

function modelOf({ offer }: PlanCandidate): string {
  return offer.view.model;
}
