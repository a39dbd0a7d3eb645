import { Injectable } from '@nestjs/common';
import { MOST_PASSED_OVER } from '@svc/contracts';
import type { CreatePlanRequest, PassedOver, Plan, PlannedAttempt } from '@svc/contracts';
import { OfferHealthService } from '../health/offer-health.service';
import { LOAD_PATIENCE_MS, LiveOffers } from '../offers/live-offers';
import { hashOf } from '../ranking/draw';
import { rankCandidates } from '../ranking/rank-candidates';
import { EligibleOffers } from './eligible-offers';
import type { Eligible } from './eligible-offers';
import { ManagedVendors } from './managed-vendors';
import { pickAttempts } from './pick-attempts';
import type { PlanCandidate } from './plan-candidate';
import { retryAfterSeconds } from './retry-after';
import { termsOf } from './plan-terms';
import { whyAboveCeiling, whyManaged, whyNotDrawn, whyOutlier, whyPlanned } from './why';

/** Which offers to try for one request, best first. */
@Injectable()
export class PlanService {
  constructor(
    private readonly offers: LiveOffers,
    private readonly eligible: EligibleOffers,
    private readonly managed: ManagedVendors,
    private readonly health: OfferHealthService,
  ) {}

  /**
   * @returns offers of the very model that was named, or of the routing model's candidates below its ceiling; of those that hold as many
   * tokens and are certified for what is asked, and none that asks far more than others of its model that work. Managed vendors come
   * last, where the environment has them answer. Empty when there is nobody
   */
  async create(request: CreatePlanRequest): Promise<Plan> {
    if (!this.offers.loaded) await this.offers.whenLoaded(LOAD_PATIENCE_MS);
    const terms = termsOf(request);
    const eligible = this.eligible.find(terms);
    const ranked = rankCandidates(eligible.candidates, hashOf(request.requestId));
    const picked = pickAttempts(ranked);
    const managed = this.managed.find(terms);
    if (picked[0] && !request.tentative) this.health.planned(picked[0].offerId);
    const lowest = lowestPrice(ranked);
    const attempts = [
      ...picked.map((each) => attemptOn(each, whyPlanned(each, lowest))),
      ...managed.map((each) => attemptOn(each, whyManaged(each, picked.length === 0))),
    ];
    const passedOver = passOver(eligible, ranked, picked, lowest);
    const plan: Plan = passedOver.length > 0 ? { attempts, passedOver } : { attempts };
    if (attempts.length === 0) plan.retryAfterSeconds = retryAfterSeconds(this.offers, terms.models);
    return plan;
  }
}

/** The best of those that could be asked and are not: first whoever was ranked, then whose price is against them. */
function passOver(
  { outliers, aboveCeiling }: Eligible,
  ranked: readonly PlanCandidate[],
  picked: readonly PlanCandidate[],
  lowest: bigint,
): PassedOver[] {
  const passed: PassedOver[] = [];
  const tell = (candidates: readonly PlanCandidate[], why: (candidate: PlanCandidate) => string) => {
    for (const candidate of candidates) {
      if (passed.length === MOST_PASSED_OVER) return;
      if (!picked.includes(candidate)) passed.push({ offerId: candidate.offerId, why: why(candidate) });
    }
  };
  tell(ranked, (each) => whyNotDrawn(each, lowest));
  tell(outliers, whyOutlier);
  tell(aboveCeiling, whyAboveCeiling);
  return passed;
}

function lowestPrice(candidates: readonly PlanCandidate[]): bigint {
  let lowest = candidates[0]?.likelyPrice ?? 0n;
  for (const { likelyPrice } of candidates) if (likelyPrice < lowest) lowest = likelyPrice;
  return lowest;
}

/** Pins the offer's terms as they are now. */
function attemptOn({ offer: { view } }: PlanCandidate, why: string): PlannedAttempt {
  const { offerId, model, provider, bundleId, profileId, inputPricePerMtok, outputPricePerMtok, mapping } =
    view;
  const attempt = { offerId, model, provider, bundleId, profileId, inputPricePerMtok, outputPricePerMtok };
  return mapping === undefined ? { ...attempt, why } : { ...attempt, mapping, why };
}
