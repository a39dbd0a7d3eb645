import type { LiveOffer } from '../offers/live-offer';
import type { Candidate } from '../ranking/candidate';
import { likelyDemand, requestPrice } from '../ranking/request-price';
import type { Demand } from '../ranking/request-price';

/** A live offer that can serve a request. */
export interface PlanCandidate extends Candidate {
  readonly offer: LiveOffer;
}

export function candidateOf(
  offer: LiveOffer,
  health: PlanCandidate['health'],
  demand: Demand,
): PlanCandidate {
  const { offerId, provider, concurrency, contextLimit } = offer.view;
  const cramped = contextLimit < demand.inputTokens + demand.outputTokens;
  const price = requestPrice(offer, demand);
  const likelyPrice = requestPrice(offer, likelyDemand(demand));
  return { offer, offerId, hash: offer.hash, provider, concurrency, cramped, price, likelyPrice, health };
}
