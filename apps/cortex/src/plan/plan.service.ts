import { Injectable } from '@nestjs/common';
import type { CreatePlanRequest, OfferView, Plan, PlannedAttempt } from '@svc/contracts';
import { OfferHealthService } from '../health/offer-health.service';
import { isCertifiedFor } from '../offers/certified-for';
import { LiveOffers } from '../offers/live-offers';
import { rankCandidates } from '../ranking/rank-candidates';

/** How many offers are tried for one request at most. */
export const MOST_ATTEMPTS = 4;
/** When nobody can say when it is worth asking again. */
const UNKNOWN_RETRY_SECONDS = 5;
/** A request that comes right after the start waits so long for the offers; below the contract's own patience. */
const LOAD_PATIENCE_MS = 1_000;

/** Which offers to try for one request, best first. */
@Injectable()
export class PlanService {
  constructor(
    private readonly offers: LiveOffers,
    private readonly health: OfferHealthService,
  ) {}

  /**
   * @returns an empty plan when no live offer of that very model holds as many tokens and is certified for what is asked; never another
   * model's
   */
  async create(request: CreatePlanRequest): Promise<Plan> {
    await this.offers.whenLoaded(LOAD_PATIENCE_MS);
    const { inputEstimate, maxTokens, needs } = request;
    const candidates = this.offers
      .ofModel(request.model)
      .filter(({ view }) => view.contextLimit >= inputEstimate + maxTokens)
      .filter(({ view }) => isCertifiedFor(view.certified, maxTokens, needs))
      .map((offer) => ({
        ...offer,
        offerId: offer.view.offerId,
        concurrency: offer.view.concurrency,
        health: this.health.of(offer.view.offerId),
      }));
    if (candidates.length === 0) return { attempts: [], retryAfterSeconds: UNKNOWN_RETRY_SECONDS };
    const ranked = rankCandidates(candidates, { inputTokens: inputEstimate, outputTokens: maxTokens });
    return { attempts: ranked.slice(0, MOST_ATTEMPTS).map(({ view }) => attemptOn(view)) };
  }
}

/** Pins the offer's terms as they are now. */
function attemptOn(view: OfferView): PlannedAttempt {
  const { offerId, provider, bundleId, profileId, inputPricePerMtok, outputPricePerMtok } = view;
  return { offerId, provider, bundleId, profileId, inputPricePerMtok, outputPricePerMtok };
}
