import fc from 'fast-check';
import type { CreatePlanRequest, OfferView } from '@svc/contracts';
import type { OfferHealthService } from '../health/offer-health.service';
import { byBlendedPrice, readLiveOffer } from '../offers/live-offer';
import type { LiveOffers } from '../offers/live-offers';
import type { OfferHealth } from '../ranking/candidate';
import { anyCandidates } from '../ranking/candidates.for-spec';
import { MOST_TIMES_REFERENCE, WORKING_ERROR_RATE } from '../ranking/price-outliers';
import { MOST_ATTEMPTS, MOST_CANDIDATES, PlanService } from './plan.service';

const request: CreatePlanRequest = {
  requestId: 'req_1',
  model: 'svc/tiny@1',
  inputEstimate: 100,
  maxTokens: 1_000,
};

interface Offered extends Partial<OfferHealth> {
  offerId: string;
  input: bigint;
  output?: bigint;
  concurrency?: number;
}

function liveOffer({ offerId, input, output = input, concurrency = 4 }: Offered) {
  const view: OfferView = {
    offerId,
    version: 1,
    model: request.model,
    provider: `0x${'a'.repeat(40)}`,
    bundleId: 'bundle',
    profileId: 'profile',
    endpoint: 'http://127.0.0.1:9/v1',
    upstreamModel: 'tiny',
    certified: { certificationId: 'crt_1', structuredOutputs: false, maxOutputTokens: 4_096 },
    contextLimit: 8_192,
    inputPricePerMtok: input.toString(),
    outputPricePerMtok: output.toString(),
    concurrency,
    firstTokenTimeoutMs: 1_000,
    chunkTimeoutMs: 1_000,
  };
  const offer = readLiveOffer(view);
  if (!offer) throw new Error('no offer');
  return offer;
}

async function planned(offered: readonly Offered[], asked = request): Promise<string[]> {
  const live = offered.map(liveOffer).sort(byBlendedPrice);
  const health = new Map(offered.map((each) => [each.offerId, each]));
  const offers: Pick<LiveOffers, 'whenLoaded' | 'ofModel'> = {
    whenLoaded: () => Promise.resolve(),
    ofModel: () => live,
  };
  const healths: Pick<OfferHealthService, 'of'> = {
    of: (offerId) => {
      const { errorRate = 0, firstTokenMs = 100, inFlight = 0 } = health.get(offerId) ?? {};
      return { errorRate, firstTokenMs, inFlight };
    },
  };
  const service = new PlanService(offers as LiveOffers, healths as OfferHealthService);
  return (await service.create(asked)).attempts.map(({ offerId }) => offerId);
}

const many = (count: number, changes: Partial<Offered>) =>
  Array.from({ length: count }, (_, index) => ({ offerId: `many_${index}`, input: 1n, ...changes }));

describe('PlanService', () => {
  it.each([0, 4])(
    'does not plan one at the highest price beside an honest one with %i under way',
    async (inFlight) => {
      const honest = { offerId: 'honest', input: 400_000n, inFlight };
      const rogue = { offerId: 'rogue', input: 10n ** 12n, concurrency: 1_024 };
      expect(await planned([honest, rogue])).toEqual(['honest']);
      expect(await planned([rogue])).toEqual(['rogue']);
    },
  );

  it('holds prices for this very request against each other', async () => {
    const reader = { offerId: 'reader', input: 1n, output: 1_000n };
    const writer = { offerId: 'writer', input: 100n, output: 10n };
    expect(await planned([reader, writer])).toEqual(['writer']);
    const long = { ...request, inputEstimate: 8_000, maxTokens: 1 };
    expect(await planned([reader, writer], long)).toEqual(['reader']);
  });

  it.each([{ errorRate: 0.9 }, { inFlight: 4 }])(
    'finds who can serve behind many with %j',
    async (standing) => {
      const plan = await planned([...many(3 * MOST_CANDIDATES, standing), { offerId: 'ready', input: 2n }]);
      expect(plan[0]).toBe('ready');
    },
  );

  it('plans somebody whenever there is anybody, nobody at more than four times what working ones ask, each time the same', async () => {
    const total = (each: Pick<Offered, 'input' | 'output'>) =>
      each.input * BigInt(request.inputEstimate) + (each.output ?? 0n) * BigInt(request.maxTokens);
    const offers = anyCandidates.map((all) =>
      all.map(({ offerId, inputPricePerMtok: input, outputPricePerMtok: output, concurrency, health }) => ({
        offerId,
        input,
        output,
        concurrency,
        ...health,
      })),
    );
    await fc.assert(
      fc.asyncProperty(offers, async (all) => {
        const plan = await planned(all);
        expect(plan.length > 0).toBe(all.length > 0);
        expect(plan.length).toBeLessThanOrEqual(MOST_ATTEMPTS);
        expect(await planned([...all].reverse())).toEqual(plan);
        const prices = all.filter(({ errorRate }) => errorRate <= WORKING_ERROR_RATE).map(total);
        if (prices.length === 0) return;
        const dearest = prices.reduce((one, other) => (one > other ? one : other));
        for (const each of all.filter(({ offerId }) => plan.includes(offerId))) {
          expect(total(each) <= dearest * MOST_TIMES_REFERENCE).toBe(true);
        }
      }),
    );
  });
});
