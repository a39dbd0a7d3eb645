import { Injectable } from '@nestjs/common';
import { MOST_PASSED_OVER } from '@svc/contracts';
import { OfferHealthService } from '../health/offer-health.service';
import { LiveOffers } from '../offers/live-offers';
import { WORKING_ERROR_RATE, highestFairPrice } from '../ranking/price-outliers';
import { MOST_ATTEMPTS } from './pick-attempts';
import { candidateOf } from './plan-candidate';
import type { PlanCandidate } from './plan-candidate';
import { isAboveCeiling } from './plan-terms';
import type { PlanTerms } from './plan-terms';

/**
 * How many of the offers that could serve a request are ranked, the cheapest: a plan must not take longer the more there are. Those
 * that are cramped or full or fail are counted apart, so that however many there are they hide nobody who could serve. Candidates of the
 * routing model share them, and each has a few.
 */
export const MOST_CANDIDATES = 64;
const LEAST_OF_A_MODEL = 4;
/**
 * How many of those are one provider's, of a model: as many as a plan tries, so that one that is alone fills it. Offers of one machine are
 * made as easily as they are priced one unit below the market, and a machine park of one kind is one offer of many places.
 */
const MOST_RANKED_OF_A_PROVIDER = MOST_ATTEMPTS;

/**
 * What candidates are counted apart by. Not their tier: who fails one time in ten is `doubtful` here, where its price counts for nothing, and
 * ranks as `failing` only from four times in ten on.
 */
type Standing = 'ready' | 'cramped' | 'full' | 'doubtful';

/** The offers that fit a request: those to rank, and some of those whose price stands against them. */
export interface Eligible {
  readonly candidates: readonly PlanCandidate[];
  /** They ask far more than the market. */
  readonly outliers: readonly PlanCandidate[];
  /** They ask more than the routing model's price; at most `MOST_PASSED_OVER` of a model, the cheapest. */
  readonly aboveCeiling: readonly PlanCandidate[];
}

/** Which offers of the marketplace could serve a request. */
@Injectable()
export class EligibleOffers {
  constructor(
    private readonly offers: LiveOffers,
    private readonly health: OfferHealthService,
  ) {}

  /** @returns of each model its own alone: what one model's offers ask is no measure for another's */
  find(terms: PlanTerms): Eligible {
    const most = Math.max(Math.floor(MOST_CANDIDATES / terms.models.length), LEAST_OF_A_MODEL);
    const found = terms.models.map((each) => this.ofModel(each, terms, most));
    return {
      candidates: found.flatMap(({ candidates }) => candidates),
      outliers: found.flatMap(({ outliers }) => outliers),
      aboveCeiling: found.flatMap(({ aboveCeiling }) => aboveCeiling),
    };
  }

  private ofModel(model: string, { demand, ceiling, fits }: PlanTerms, most: number): Eligible {
    const nowMs = performance.now();
    // Where a model has few places, a provider has half of them at most.
    const mostOfOne = Math.min(MOST_RANKED_OF_A_PROVIDER, Math.floor(most / 2));
    const found: Record<Standing, PlanCandidate[]> = { ready: [], cramped: [], full: [], doubtful: [] };
    const ofProvider = new Map<string, Record<Standing, number>>();
    const aboveCeiling: PlanCandidate[] = [];
    for (const offer of this.offers.ofModel(model)) {
      if (!fits(offer)) continue;
      const tooDear = isAboveCeiling(offer, ceiling);
      if (tooDear && aboveCeiling.length === MOST_PASSED_OVER) continue;
      const { offerId, provider } = offer.view;
      const taken = ofProvider.get(provider) ?? { ready: 0, cramped: 0, full: 0, doubtful: 0 };
      // It can serve by cheaper ones: the rest of its offers cost nothing to pass by.
      if (!tooDear && taken.ready >= mostOfOne) continue;
      const candidate = candidateOf(offer, this.health.of(offerId, nowMs), demand);
      if (tooDear) {
        aboveCeiling.push(candidate);
        continue;
      }
      const standing = standingOf(candidate);
      if (found[standing].length === most || taken[standing] >= mostOfOne) continue;
      found[standing].push(candidate);
      taken[standing]++;
      ofProvider.set(provider, taken);
      if (found.ready.length === most) break;
    }
    const all = [...found.ready, ...found.cramped, ...found.full, ...found.doubtful];
    const fair = highestFairPrice(all);
    return {
      candidates: all.filter(({ price }) => price <= fair),
      outliers: all.filter(({ price }) => price > fair),
      aboveCeiling,
    };
  }
}

function standingOf({ health, concurrency, cramped }: PlanCandidate): Standing {
  if (health.errorRate > WORKING_ERROR_RATE) return 'doubtful';
  if (health.inFlight >= concurrency) return 'full';
  return cramped ? 'cramped' : 'ready';
}
