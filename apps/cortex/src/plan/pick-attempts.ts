import { tierOf } from '../ranking/tier';
import type { PlanCandidate } from './plan-candidate';

/** How many offers of the marketplace are tried for one request at most. */
export const MOST_ATTEMPTS = 4;
/** So many of a model before the next model has its turn: what fails one offer of a model may fail all. */
const MOST_OF_A_MODEL = 2;

/**
 * Chooses whom to try, in which order: the best offer's model first, with its two best offers, then the next model's; when all models had
 * their turn, what is left in the order of its rank. An offer that fails or is full waits until all that work had their turn. Of offers of
 * one model these are the best ones in their order. Pure.
 * @param ranked best first
 */
export function pickAttempts(ranked: readonly PlanCandidate[], models: number): PlanCandidate[] {
  if (models === 1) return ranked.slice(0, MOST_ATTEMPTS);
  const picked: PlanCandidate[] = [];
  for (const tier of new Set(ranked.map(tierOf))) {
    const alike = ranked.filter((candidate) => tierOf(candidate) === tier);
    for (const model of new Set(alike.map(modelOf))) {
      const room = MOST_OF_A_MODEL - picked.filter((each) => modelOf(each) === model).length;
      picked.push(...alike.filter((each) => modelOf(each) === model).slice(0, Math.max(room, 0)));
      if (picked.length >= MOST_ATTEMPTS) return picked.slice(0, MOST_ATTEMPTS);
    }
  }
  const taken = new Set(picked);
  return [...picked, ...ranked.filter((each) => !taken.has(each))].slice(0, MOST_ATTEMPTS);
}

function modelOf({ offer }: PlanCandidate): string {
  return offer.view.model;
}
