import { catalogContracts } from '@svc/contracts';
import type { ShowMarketRequest, SubmitOfferRequest } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { wholeRequest } from '../catalogue/catalogue.for-spec';
import { contractOf, scopeOf } from '../publication/certified-offer.for-spec';
import { SigningProvider } from '../signing-provider.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';
import { healthOf } from '../watch/health/offer-health.for-spec';
import { OfferHealthView } from '../watch/health/offer-health.view';

const MODEL = 'svc/tiny@1';
let market: SupplyMarket;

beforeAll(async () => {
  market = await SupplyMarket.open();
  await market.apply(wholeRequest());
});
afterAll(() => market.close());

const show = (changes: Partial<ShowMarketRequest> = {}) =>
  market.call(catalogContracts.showMarket, { models: [MODEL], offset: 0, limit: 10, ...changes });

async function sell(changes: Partial<SubmitOfferRequest>, scope = scopeOf(), name = 'Alice') {
  const provider = new SigningProvider();
  await market.call(catalogContracts.registerProvider, await provider.registration({ name }));
  const request = await provider.offer(changes);
  const { offerId } = await market.call(catalogContracts.submitOffer, request);
  const certificationId = await market.certify(offerId, scope);
  return { provider, offerId, certificationId };
}

describe('the market', () => {
  it('shows what is live, the cheapest first, with who is behind it, and nothing that is not everybody’s', async () => {
    const dear = await sell({ inputPricePerMtok: '900000' });
    const contract = contractOf();
    const scope = scopeOf({ toolContract: contract, concurrency: 2 });
    const name = '<img src=x onerror=alert(1)>';
    const cheap = await sell({ endpoint: 'https://hidden.example/v1', upstreamModel: 'secret' }, scope, name);
    await market.prisma.offer.update({
      where: { id: cheap.offerId },
      data: { lastSeenAt: new Date('2026-11-21T12:00:00Z') },
    });
    const health = market.catalog.app.get(OfferHealthView, { strict: false });
    health.record(healthOf(cheap.offerId, { succeeded: 3, failed: 1, firstTokenMs: 80 }));

    const figures = {
      errorRate: expect.closeTo(0.25) as number,
      firstTokenMs: expect.closeTo(80) as number,
    };
    const shown = await show();
    expect(shown.models).toHaveLength(1);
    const [first, second] = shown.models[0]?.offers ?? [];
    expect([shown.models[0]?.liveOffers, second?.offerId]).toEqual([2, dear.offerId]);
    expect(first).toMatchObject({
      ...{ offerId: cheap.offerId, provider: cheap.provider.wallet, providerName: name },
      ...{ bundle: 'tiny-q4', profile: 'cpu-8k', certificationId: cheap.certificationId },
      ...{ inputPricePerMtok: '100000', outputPricePerMtok: '400000', concurrency: 2 },
      toolContract: contract,
      health: { ...figures, lastSeenAt: '2026-11-21T12:00:00.000Z' },
    });
    expect(second).toMatchObject({ toolContract: null, health: {} });
    expect(shown.models[0]?.health).toMatchObject(figures);
    expect(JSON.stringify(shown)).not.toMatch(/hidden\.example|secret|models\.example/);

    expect((await show({ offset: 1, limit: 1 })).models[0]?.offers).toMatchObject([
      { offerId: dear.offerId },
    ]);
    expect((await show({ offset: 2 })).models[0]?.offers).toEqual([]);

    await market.call(catalogContracts.withdrawOffer, await cheap.provider.withdrawal());
    const after = await eventually(async () => {
      const left = await show();
      return left.models[0]?.liveOffers === 1 && left;
    });
    expect(after.models[0]).toMatchObject({ liveOffers: 1, offers: [{ offerId: dear.offerId }] });
  });

  it('says of a model that nobody serves that nobody does', async () => {
    expect(await show({ models: ['svc/none@1'] })).toEqual({
      models: [{ model: 'svc/none@1', liveOffers: 0, health: {}, offers: [] }],
    });
  });

  it('refuses to tell of more than fits', async () => {
    await expect(show({ limit: 101 })).rejects.toMatchObject({ payload: { param: 'limit' } });
    await expect(show({ models: [] })).rejects.toMatchObject({ payload: { param: 'models' } });
  });
});
