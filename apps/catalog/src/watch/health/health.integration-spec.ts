import type { OfferHealthReport } from '@svc/contracts';
import type { ListeningService } from '@svc/service-host';
import { eventually } from '@svc/testing';
import { WatchedMarket, metricOf, published } from '../watched-market.for-spec';
import { recordCanary } from '../canary/canary-outcome';
import { OfferHealthView } from './offer-health.view';

let market: WatchedMarket;
let catalogs: ListeningService[];
let providers = 0;

beforeAll(async () => {
  market = await WatchedMarket.open();
  catalogs = [await market.startCatalog({}), await market.startCatalog({})];
});

afterAll(async () => {
  await market.close();
});

/** An offer of a provider that has no other: of one, two canaries are open at most, and whoever is taken off is looked at a minute later. */
const addOffer = (id: string) =>
  market.addOffers({ id, provider: `0x${(++providers).toString(16).padStart(40, '0')}` });

const views = () => catalogs.map(({ app }) => app.get(OfferHealthView, { strict: false }));

/** Tells once a second's worth of traffic, and waits until every instance has heard it. */
async function tell(offerId: string, outcomes: Partial<OfferHealthReport>): Promise<void> {
  const heard = () =>
    Promise.all(catalogs.map((each) => metricOf(each, 'svc_catalog_health_reports_total', 'accepted')));
  const before = await heard();
  market.tell(offerId, outcomes);
  await eventually(async () => (await heard()).every((count, index) => count > (before[index] ?? 0)));
}

/** Failures that are the offer's own, met by so many clients. */
const blamed = (count: number, invalid = 0, wallets = 3): Partial<OfferHealthReport> => ({
  failed: count,
  invalid,
  blamed: count,
  blamedInvalid: invalid,
  blamedBy: Array.from({ length: wallets }, (_, index) => `w${index}`),
});

const minutesFromNow = (date: Date | null) => Math.round(((date?.getTime() ?? NaN) - Date.now()) / 60_000);

/** Has a suspended offer back on the market, as a canary that passes after the pause does. */
async function reinstate(id: string, code: string): Promise<void> {
  await eventually(() => views().every((view) => view.of(id).errorRate === undefined));
  expect((await market.offer(id)).watchCode).toBe(code);
  const now = new Date();
  await market.prisma.offer.update({ where: { id }, data: { retryAt: now } });
  await market.prisma.$transaction((tx) => recordCanary(tx, { offerId: id, requestedAt: now, passed: true }));
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

  it('of a managed vendor is not for the catalogue to judge', async () => {
    await tell('managed-vendor', blamed(64));
    for (const view of views()) expect(view.of('managed-vendor')).toEqual({});
  });

  it('that fails takes an offer off the market, written down once however many instances hear it', async () => {
    await addOffer('failing');
    await tell('failing', { succeeded: 5, ...blamed(10) });
    expect((await market.offer('failing')).watchCode).toBeNull();
    const before = published.times;
    await tell('failing', { succeeded: 5, ...blamed(10) });
    const { watchReason, retryAt } = await market.untilWatched('failing', 'failing');
    expect(watchReason).toBe('67% of about 30 recent requests failed.');
    expect(retryAt?.getTime()).toBeGreaterThan(Date.now());
    await eventually(() => published.times > before);
    // What was still under way fails as well, and changes nothing more.
    await tell('failing', blamed(64));
    await eventually(() => views().every((view) => view.of('failing').errorRate === undefined));
    expect(await market.trail('failing')).toEqual([`catalog offer.suspended failing: ${watchReason}`]);
  });

  it('that is answered with what must not be delivered does so with a code of its own', async () => {
    await addOffer('liar');
    await tell('liar', { succeeded: 9, ...blamed(3, 3) });
    const { watchReason } = await market.untilWatched('liar', 'invalid_output');
    expect(watchReason).toBe(
      '25% of about 12 recent requests were answered with what must not be delivered.',
    );
  });

  it('that clients may have spoilt takes nobody off the market: a canary looks at once, and not again and again', async () => {
    await addOffer('baited');
    // Unsatisfiable schemas, prompts that break parsers: of one client's making, or of many.
    for (let second = 0; second < 3; second++) await tell('baited', { failed: 500, invalid: 500 });
    await market.untilCanary('baited');
    await tell('baited', { failed: 500, invalid: 500, ...blamed(9, 9), succeeded: 100 });
    expect(await market.offer('baited')).toMatchObject({ watchCode: null, retries: 0 });
    expect(await market.canariesOf('baited')).toBe(1);
    expect(await market.trail('baited')).toEqual([]);
  });

  it('that one client calls bad has a canary look at once, and much of it convicts', async () => {
    await addOffer('sole');
    await tell('sole', blamed(49, 49, 1));
    await market.untilCanary('sole');
    expect((await market.offer('sole')).watchCode).toBeNull();
    await tell('sole', blamed(10, 10, 1));
    await market.untilWatched('sole', 'invalid_output');
  });

  it('that is claimed to be more than it can be takes an offer off the market', async () => {
    await addOffer('inflates');
    const inflatedBy = ['w0', 'w1', 'w2'];
    const claims = { succeeded: 15, claims: 15, claimedTokens: 1_500, outputBytes: 1_500, inflatedBy };
    await tell('inflates', claims);
    expect((await market.offer('inflates')).watchCode).toBeNull();
    await tell('inflates', claims);
    const { watchReason } = await market.untilWatched('inflates', 'usage_inflated');
    expect(watchReason).toMatch(/claim a token for every 1.0 bytes/);
  });

  it('waits longer for the canary that puts an offer back, each time within a day', async () => {
    await addOffer('flaps');
    await market.prisma.audit.createMany({
      data: [
        { actor: 'catalog', action: 'offer.suspended', subject: 'flaps', reason: 'no_heartbeat: x' },
        { actor: 'operator', action: 'offer.suspended', subject: 'flaps', reason: 'x' },
        {
          actor: 'catalog',
          action: 'offer.suspended',
          subject: 'flaps',
          reason: 'failing: yesterday',
          at: new Date(Date.now() - 25 * 3_600_000),
        },
      ],
    });
    for (const [times, minutes] of [1, 2, 4].entries()) {
      await tell('flaps', blamed(30));
      const offer = await market.untilWatched('flaps', 'failing');
      expect([offer.retries, minutesFromNow(offer.retryAt)]).toEqual([times, minutes]);
      expect(offer.nextCanaryAt).toEqual(offer.retryAt);
      await reinstate('flaps', 'failing');
    }
    // One that drifts has the same memory, and one that fails still goes on doubling.
    const end = (passed: boolean) =>
      market.prisma.$transaction((tx) =>
        recordCanary(tx, { offerId: 'flaps', requestedAt: new Date(), passed }),
      );
    expect([await end(false), await end(false)]).toEqual(['failed', 'suspend']);
    expect(minutesFromNow((await market.offer('flaps')).retryAt)).toBe(8);
    expect(await end(false)).toBe('failed');
    expect(minutesFromNow((await market.offer('flaps')).retryAt)).toBe(16);
  });

  it('is not held against an offer again once it came back', async () => {
    await addOffer('mended');
    await tell('mended', blamed(30));
    await market.untilWatched('mended', 'failing');
    await eventually(() => views().every((view) => view.of('mended').errorRate === undefined));
    await market.prisma.offer.update({
      where: { id: 'mended' },
      data: { watchCode: null, watchReason: null, watchSince: null },
    });
    await tell('mended', { succeeded: 1, ...blamed(1) });
    expect((await market.offer('mended')).watchCode).toBeNull();
  });

  it('says nothing against offers that are not on the market, and malformed reports nothing at all', async () => {
    await addOffer('withdrawn');
    await market.prisma.offer.update({ where: { id: 'withdrawn' }, data: { withdrawnAt: new Date() } });
    await tell('withdrawn', blamed(30));
    await tell('unknown', blamed(30));
    const [catalog] = catalogs;
    if (!catalog) throw new Error('no instance');
    market.tell('shown', { failed: -1 });
    await eventually(
      async () => (await metricOf(catalog, 'svc_catalog_health_reports_total', 'refused')) === 1,
    );
    expect((await market.offer('withdrawn')).watchCode).toBeNull();
  });
});
