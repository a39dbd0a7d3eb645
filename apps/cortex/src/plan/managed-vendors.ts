import { Inject, Injectable } from '@nestjs/common';
import type { Environment } from '@svc/environment';
import { OfferHealthService } from '../health/offer-health.service';
import { LiveOffers } from '../offers/live-offers';
import { byPrice } from '../ranking/price-outliers';
import { tierOf } from '../ranking/tier';
import { candidateOf } from './plan-candidate';
import type { PlanCandidate } from './plan-candidate';
import { isAboveCeiling } from './plan-terms';
import type { PlanTerms } from './plan-terms';

export const ENVIRONMENT = Symbol('Environment');

/** How many managed vendors are tried for one request at most. */
const MOST_MANAGED_ATTEMPTS = 2;

/** Who answers when no provider of the marketplace can (spec section 1). */
@Injectable()
export class ManagedVendors {
  constructor(
    private readonly offers: LiveOffers,
    private readonly health: OfferHealthService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * @returns those that may answer in this environment and can serve the request: what works before what fails or is full, the cheapest
   * first. Their prices are published, and no offer of the marketplace is measured by them
   */
  find({ models, ceiling, demand, fits }: PlanTerms): PlanCandidate[] {
    const routed = ceiling !== undefined;
    if (routed !== (this.environment.managedAnswers === 'routed')) return [];
    const found: PlanCandidate[] = [];
    for (const model of models) {
      for (const offer of this.offers.managedOf(model)) {
        if (!fits(offer) || isAboveCeiling(offer, ceiling)) continue;
        found.push(candidateOf(offer, this.health.of(offer.view.offerId), demand));
      }
    }
    return found.sort((a, b) => tierOf(a) - tierOf(b) || byPrice(a, b)).slice(0, MOST_MANAGED_ATTEMPTS);
  }
}
