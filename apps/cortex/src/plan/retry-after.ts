import type { LiveOffers } from '../offers/live-offers';

/** The offers are read within moments of the start. */
const NOT_LOADED_SECONDS = 2;
/** Nobody serves the model: when somebody does again, nobody can say. */
const UNKNOWN_SECONDS = 5;
/** The model is served, and nobody who serves it takes such a request: only a new offer changes that. */
const UNFIT_SECONDS = 30;

/**
 * When it may be worth asking again, for a request that nobody can be planned for. Offers that are full or fail are planned all the same,
 * so this is not about them: whoever runs the plan knows when they have a place.
 * @returns whole seconds, 1 to 30
 */
export function retryAfterSeconds(
  offers: Pick<LiveOffers, 'loaded' | 'ofModel'>,
  models: readonly string[],
): number {
  if (!offers.loaded) return NOT_LOADED_SECONDS;
  return models.some((model) => offers.ofModel(model).length > 0) ? UNFIT_SECONDS : UNKNOWN_SECONDS;
}
