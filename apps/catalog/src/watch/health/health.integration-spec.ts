import type { OfferHealthReport } from '@svc/contracts';
import type { ListeningService } from '@svc/service-host';
import { eventually } from '@svc/testing';
import { WatchedMarket, metricOf, published } from '../watched-market.for-spec';
import { OfferHealthView } from './offer-health.view';

let market: WatchedMarket;
let catalogs: ListeningService[];

beforeAll(async () => {
  market = await WatchedMarket.open();
  catalogs = [await market.startCatalog({}), await market.startCatalog({})];
});

afterAll(async () => {
  await market.close();
});

const views = () => catalogs.map(({ app }) => app.get(OfferHealthView, { strict: false }));

/** Tells once a second's worth of traffic, and waits until every instance has heard it. */
async function tell(offerId: string, outcomes: Partial<OfferHealthReport>): Promise<void> {
  const heard = () =>
    Promise.all(catalogs.map((each) => metricOf(each, 'svc_catalog_health_reports_total', 'accepted')));
  const before = await heard();
  market.tell(offerId, outcomes);
  await eventually(async () => (await heard()).every((count, index) => count > (before[index] ?? 0)));
}

describe('real traffic', () => {
  it('is shown as the health of an offer, by every instance', async () => {
    await tell('shown', { succeeded: 9, failed: 1, invalid: 1, firstTokenMs: 120, tokensPerSecond: 50 });
    for (const view of views()) {
      const { firstTokenMs, tokensPerSecond, errorRate, invalidRate } = view.of('shown');
      expect(
        [firstTokenMs, tokensPerSecond, errorRate, invalidRate].map((figure) => figure?.toFixed(2)),
      ).toEqual(['120.00', '50.00', '0.10', '0.10']);
    }
  });

  it('that fails takes an offer off the market, written down once however many instances hear it', async () => {
    await market.addOffers({ id: 'failing' });
    await tell('failing', { succeeded: 5, failed: 10 });
    expect((await market.offer('failing')).watchCode).toBeNull();
    const before = published.times;
    await tell('failing', { succeeded: 5, failed: 10 });
    const { watchReason, retryAt } = await market.untilWatched('failing', 'failing');
    expect(watchReason).toBe('67% of about 30 recent requests failed');
    expect(retryAt?.getTime()).toBeGreaterThan(Date.now());
    expect(published.times).toBeGreaterThan(before);
    // What was still under way fails as well, and changes nothing more.
    await tell('failing', { failed: 64 });
    await eventually(() => views().every((view) => view.of('failing').errorRate === undefined));
    expect(await market.trail('failing')).toEqual([`catalog offer.suspended failing: ${watchReason}`]);
  });

  it('that is answered with what must not be delivered does so with a code of its own', async () => {
    await market.addOffers({ id: 'liar' });
    await tell('liar', { succeeded: 9, failed: 3, invalid: 3 });
    const { watchReason } = await market.untilWatched('liar', 'invalid_output');
    expect(watchReason).toBe('25% of about 12 recent requests were answered with what must not be delivered');
  });

  it('is not held against an offer again once it came back', async () => {
    await market.addOffers({ id: 'mended' });
    await tell('mended', { failed: 30 });
    await market.untilWatched('mended', 'failing');
    await eventually(() => views().every((view) => view.of('mended').errorRate === undefined));
    await market.prisma.offer.update({
      where: { id: 'mended' },
      data: { watchCode: null, watchReason: null, watchSince: null },
    });
    await tell('mended', { succeeded: 1, failed: 1 });
    expect((await market.offer('mended')).watchCode).toBeNull();
  });

  it('says nothing against offers that are not on the market, and malformed reports nothing at all', async () => {
    await market.addOffers({ id: 'withdrawn' });
    await market.prisma.offer.update({ where: { id: 'withdrawn' }, data: { withdrawnAt: new Date() } });
    await tell('withdrawn', { failed: 30 });
    await tell('unknown', { failed: 30 });
    const [catalog] = catalogs;
    if (!catalog) throw new Error('no instance');
    market.tell('shown', { failed: -1 });
    await eventually(
      async () => (await metricOf(catalog, 'svc_catalog_health_reports_total', 'refused')) === 1,
    );
    expect((await market.offer('withdrawn')).watchCode).toBeNull();
  });
});
