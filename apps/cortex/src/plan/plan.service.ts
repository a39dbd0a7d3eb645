import { Injectable } from '@nestjs/common';
import type { CreatePlanRequest, OfferView, Plan, PlannedAttempt } from '@svc/contracts';
import { OfferHealthService } from '../health/offer-health.service';
import { isCertifiedFor } from '../offers/certified-for';
import type { LiveOffer } from '../offers/live-offer';
import { LiveOffers } from '../offers/live-offers';
import type { Candidate } from '../ranking/candidate';
import { WORKING_ERROR_RATE, withoutPriceOutliers } from '../ranking/price-outliers';
import { rankCandidates } from '../ranking/rank-candidates';

/** How many offers are tried for one request at most. */
export const MOST_ATTEMPTS = 4;
/**
 * How many of the offers that could serve a request are ranked, the cheapest: a plan must not take longer the more there are. Those
 * that are full or fail are counted apart, so that however many there are they hide nobody who could serve.
 */
export const MOST_CANDIDATES = 64;
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
   * model's, and none that asks far more than another that works
   */
  async create(request: CreatePlanRequest): Promise<Plan> {
    await this.offers.whenLoaded(LOAD_PATIENCE_MS);
    const candidates = this.cheapestFor(request);
    if (candidates.length === 0) return { attempts: [], retryAfterSeconds: UNKNOWN_RETRY_SECONDS };
    const demand = { inputTokens: request.inputEstimate, outputTokens: request.maxTokens };
    const ranked = rankCandidates(withoutPriceOutliers(candidates, demand), demand);
    return { attempts: ranked.slice(0, MOST_ATTEMPTS).map(({ view }) => attemptOn(view)) };
  }

  private cheapestFor({ model, inputEstimate, maxTokens, needs }: CreatePlanRequest): PlanCandidate[] {
    const found: Record<Standing, PlanCandidate[]> = { ready: [], full: [], failing: [] };
    for (const offer of this.offers.ofModel(model)) {
      const { offerId, provider, contextLimit, concurrency, certified } = offer.view;
      if (contextLimit < inputEstimate + maxTokens || !isCertifiedFor(certified, maxTokens, needs)) continue;
      const candidate = { ...offer, offerId, provider, concurrency, health: this.health.of(offerId) };
      const alike = found[standingOf(candidate)];
      if (alike.length < MOST_CANDIDATES) alike.push(candidate);
      if (found.ready.length === MOST_CANDIDATES) break;
    }
    return [...found.ready, ...found.full, ...found.failing];
  }
}

type PlanCandidate = LiveOffer & Candidate;
type Standing = 'ready' | 'full' | 'failing';

function standingOf({ health, concurrency }: Candidate): Standing {
  if (health.errorRate > WORKING_ERROR_RATE) return 'failing';
  return health.inFlight < concurrency ? 'ready' : 'full';
}

/** Pins the offer's terms as they are now. */
function attemptOn(view: OfferView): PlannedAttempt {
  const { offerId, model, provider, bundleId, profileId, inputPricePerMtok, outputPricePerMtok } = view;
  return {
    offerId,
    model,
    provider,
    bundleId,
    profileId,
    inputPricePerMtok,
    outputPricePerMtok,
    why: 'ranked',
  };
}
