import type { CreatePlanRequest, OfferView, Plan } from '@svc/contracts';
import { ENVIRONMENTS } from '@svc/environment';
import type { EnvironmentName } from '@svc/environment';
import { OfferHealthService } from '../health/offer-health.service';
import { byBlendedPrice, readLiveOffer } from '../offers/live-offer';
import type { LiveOffers } from '../offers/live-offers';
import type { OfferHealth } from '../ranking/candidate';
import { EligibleOffers } from './eligible-offers';
import type { Eligible } from './eligible-offers';
import { ManagedVendors } from './managed-vendors';
import { termsOf } from './plan-terms';
import { PlanService } from './plan.service';

export const MODEL = 'svc/tiny@1';

/** An offer of the model `MODEL`, or of another, or a managed vendor; and how it does. */
export interface Offered extends Partial<OfferHealth> {
  offerId: string;
  /** Base units per million tokens; of output as of input unless told. */
  input: bigint;
  output?: bigint;
  model?: string;
  mapping?: string;
  provider?: string;
  concurrency?: number;
  contextLimit?: number;
}

export function planRequest(changes: Partial<CreatePlanRequest> = {}): CreatePlanRequest {
  return {
    requestId: 'req_1',
    model: MODEL,
    inputEstimate: 100,
    inputLeast: 60,
    maxTokens: 1_000,
    ...changes,
  };
}

function liveOffer({ offerId, input, output = input, model = MODEL, ...fields }: Offered) {
  const view: OfferView = {
    offerId,
    version: 1,
    model,
    provider: fields.provider ?? `0x${'a'.repeat(40)}`,
    bundleId: 'bundle',
    profileId: 'profile',
    endpoint: 'http://127.0.0.1:9/v1',
    upstreamModel: 'tiny',
    certified: { certificationId: 'crt_1', structuredOutputs: false, maxOutputTokens: 4_096 },
    contextLimit: fields.contextLimit ?? 8_192,
    inputPricePerMtok: input.toString(),
    outputPricePerMtok: output.toString(),
    concurrency: fields.concurrency ?? 4,
    firstTokenTimeoutMs: 1_000,
    chunkTimeoutMs: 1_000,
    ...(fields.mapping !== undefined && { mapping: fields.mapping }),
  };
  const offer = readLiveOffer(view);
  if (!offer) throw new Error('no offer');
  return offer;
}

/** Health as it is told to be, and what is planned on top of it. */
class ToldHealth extends OfferHealthService {
  private readonly told: ReadonlyMap<string, Offered>;

  constructor(offered: readonly Offered[]) {
    super();
    this.told = new Map(offered.map((each) => [each.offerId, each]));
  }

  override of(offerId: string): OfferHealth {
    const { errorRate = 0, firstTokenMs = 100, inFlight = 0 } = this.told.get(offerId) ?? {};
    return { errorRate, firstTokenMs, inFlight: inFlight + super.of(offerId, 0).inFlight };
  }

  override planned(offerId: string): void {
    super.planned(offerId, 0);
  }
}

/** The offers as cortex has them when they are loaded. */
function loaded(offered: readonly Offered[]): LiveOffers {
  const live = offered.map(liveOffer).sort(byBlendedPrice);
  const of = (model: string, managed: boolean) =>
    live.filter(({ view }) => view.model === model && (view.mapping !== undefined) === managed);
  const offers: Pick<LiveOffers, 'loaded' | 'whenLoaded' | 'ofModel' | 'managedOf'> = {
    loaded: true,
    whenLoaded: () => Promise.resolve(),
    ofModel: (model) => of(model, false),
    managedOf: (model) => of(model, true),
  };
  return offers as LiveOffers;
}

/** Plans over these offers as cortex does. */
export function planner(
  offered: readonly Offered[],
  environment: EnvironmentName = 'testnet',
): (request?: CreatePlanRequest) => Promise<Plan> {
  const offers = loaded(offered);
  const health = new ToldHealth(offered);
  const managed = new ManagedVendors(offers, health, ENVIRONMENTS[environment]);
  const service = new PlanService(offers, new EligibleOffers(offers, health), managed, health);
  return (request = planRequest()) => service.create(request);
}

/** Which of these offers could serve a request. */
export function eligible(offered: readonly Offered[], request = planRequest()): Eligible {
  return new EligibleOffers(loaded(offered), new ToldHealth(offered)).find(termsOf(request));
}

/** The ids of the offers that a fresh cortex tries. */
export async function planned(
  offered: readonly Offered[],
  request?: CreatePlanRequest,
  environment?: EnvironmentName,
): Promise<string[]> {
  const { attempts } = await planner(offered, environment)(request);
  return attempts.map(({ offerId }) => offerId);
}

/** So many alike. */
export function many(count: number, changes: Partial<Offered>): Offered[] {
  return Array.from({ length: count }, (_, index) => ({ offerId: `many_${index}`, input: 1n, ...changes }));
}
