import { billingContracts, catalogContracts } from '@svc/contracts';
import type { RpcContract, SettlementView } from '@svc/contracts';
import { noCapacity, notFound } from '@svc/errors';
import { errorOf } from '../../testing/error-of.for-spec';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness, OPERATOR } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';

const harness = new GatewayHarness();
const wallet = `0x${'b2'.repeat(20)}`;
/** What strangers may have written anywhere. */
const EVIL = '</script><img src=x onerror=alert(1)>';
const position = {
  ...{ wallet, suspended: true, limitHead: '0', limitSafe: '0', held: '0' },
  ...{ charged: '0', unsettled: '0', spendable: '0', openHolds: 0 },
};
const settlement: SettlementView = {
  state: 'paused',
  detail: null,
  pauses: [
    {
      reason: 'figures disagree',
      actor: 'reconciliation',
      pausedAt: '2026-11-21T06:00:00.000Z',
      differences: [{ rule: 'held is held', subject: wallet, expected: '1', actual: '2' }],
    },
  ],
  ...{ unsettled: '1250000', wallets: 3, suspendedWallets: 1, failedWallets: 1, openBatches: 2 },
  ...{ reconciledAt: '2026-11-21T06:00:00.000Z', fullyReconciledAt: null },
};
const settlementReply = {
  state: 'paused',
  detail: null,
  pauses: [
    {
      reason: 'figures disagree',
      actor: 'reconciliation',
      paused_at: '2026-11-21T06:00:00.000Z',
      differences: [{ rule: 'held is held', subject: wallet, expected: '1', actual: '2' }],
    },
  ],
  ...{ unsettled_usdc: '1.250000', wallets: 3, suspended_wallets: 1, failed_wallets: 1, open_batches: 2 },
  ...{ reconciled_at: '2026-11-21T06:00:00.000Z', fully_reconciled_at: null },
};
const catalogue = {
  ...{ models: 2, providers: 4, suspendedProviders: 1, offers: 5, liveOffers: 3, openCertifications: 1 },
};

let catalog: FakeService;
let billing: FakeService;
let operator: PortalVisitor;
let buyer: PortalVisitor;

beforeAll(async () => {
  await harness.start();
  catalog = new FakeService((await harness.nats.connectAs('catalog')).connection);
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  operator = await PortalVisitor.signedIn(harness, OPERATOR);
  buyer = await PortalVisitor.signedIn(harness, wallet);
  const { suspendProvider, reinstateProvider, suspendOffer, reinstateOffer, certifyOffer } = catalogContracts;
  for (const contract of [suspendProvider, reinstateProvider]) await catalog.answer(contract, {});
  for (const contract of [suspendOffer, reinstateOffer, certifyOffer]) await catalog.answer(contract, {});
  await catalog.answer(catalogContracts.showOverview, catalogue);
  await catalog.answer(catalogContracts.listProviders, { providers: [], next: null });
  await catalog.answer(catalogContracts.listAudit, { entries: [], next: null });
  const { suspendWallet, reinstateWallet, pauseSettlement, resumeSettlement, showSettlement } =
    billingContracts;
  for (const contract of [suspendWallet, reinstateWallet]) await billing.answer(contract, position);
  for (const contract of [pauseSettlement, resumeSettlement, showSettlement])
    await billing.answer(contract, settlement);
  await billing.answer(billingContracts.listWallets, { wallets: [], next: null });
  await billing.answer(billingContracts.listBillingAudit, { entries: [], next: null });
});
afterAll(() => harness.stop());

const READS = ['/overview', '/providers', '/wallets', '/settlement', '/audit?of=billing'];
const reason = 'asked by its owner';
const provider = `0x${'c3'.repeat(20)}`;
const ACTS = [
  [`/providers/${provider}/suspend`, 'catalog', catalogContracts.suspendProvider, { provider }],
  [`/providers/${provider}/reinstate`, 'catalog', catalogContracts.reinstateProvider, { provider }],
  ['/offers/ofr_1/suspend', 'catalog', catalogContracts.suspendOffer, { offerId: 'ofr_1' }],
  ['/offers/ofr_1/reinstate', 'catalog', catalogContracts.reinstateOffer, { offerId: 'ofr_1' }],
  ['/offers/ofr_1/certify', 'catalog', catalogContracts.certifyOffer, { offerId: 'ofr_1' }],
  [`/wallets/${wallet}/suspend`, 'billing', billingContracts.suspendWallet, { wallet }],
  [`/wallets/${wallet}/reinstate`, 'billing', billingContracts.reinstateWallet, { wallet }],
  ['/settlement/pause', 'billing', billingContracts.pauseSettlement, {}],
  ['/settlement/resume', 'billing', billingContracts.resumeSettlement, {}],
] as const;

const timesAsked = () => catalog.asked.length + billing.asked.length;

describe('the routes of operators', () => {
  it.each(READS)('GET %s is for operators, and for others there is nothing', async (path) => {
    expect((await operator.get(`/operators${path}`)).status).toBe(200);
    const before = timesAsked();
    const [refused, unknown] = [await buyer.get(`/operators${path}`), await buyer.get('/operators/nothing')];
    expect(refused.status).toBe(404);
    const words = [await refused.json(), await unknown.json()];
    expect(words[0]).toEqual(words[1]);
    const nobody = await fetch(`${harness.url}/portal/api/operators${path}`);
    expect(await errorOf(nobody)).toEqual([401, 'invalid_api_key', null]);
    expect(timesAsked()).toBe(before);
  });

  it.each(ACTS)(
    'POST %s is done in the operator’s name, and by nobody else',
    async (path, of, contract, on) => {
      const service = of === 'catalog' ? catalog : billing;
      const done = await operator.send('POST', `/operators${path}`, { reason, actor: 'somebody else' });
      expect([done.status, await done.text()]).toEqual([204, '']);
      expect(service.lastOf(contract as RpcContract<object, unknown>)).toEqual({
        ...on,
        reason,
        actor: OPERATOR,
      });
      const before = timesAsked();
      expect(await errorOf(await buyer.send('POST', `/operators${path}`, { reason }))).toEqual([
        404,
        'invalid_request',
        null,
      ]);
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify({ reason }) };
      const nobody = await fetch(`${harness.url}/portal/api/operators${path}`, init);
      expect(nobody.status).toBe(401);
      const forgeries: Record<string, string>[] = [
        { 'x-svc-csrf': '' },
        { 'x-svc-csrf': 'x' },
        { origin: 'https://evil.example' },
      ];
      for (const wrong of forgeries) {
        const forged = await operator.send('POST', `/operators${path}`, { reason }, { headers: wrong });
        expect(forged.status).toBe(403);
      }
      for (const without of [undefined, '', '   ', 7, 'x'.repeat(201), 'a\u0000b']) {
        const refused = await operator.send('POST', `/operators${path}`, { reason: without });
        expect(await errorOf(refused)).toEqual([400, 'invalid_request', 'reason']);
      }
      expect(timesAsked()).toBe(before);
    },
  );

  it.each([
    ['/providers/0x1/suspend', 400, 'wallet'],
    ['/wallets/everybody/suspend', 400, 'wallet'],
    ['/offers/a.b/suspend', 404, 'id'],
    [`/offers/${'x'.repeat(81)}/certify`, 404, 'id'],
  ])('POST %s names nothing there could be', async (path, status, param) => {
    const refused = await operator.send('POST', `/operators${path}`, { reason });
    expect(await errorOf(refused)).toEqual([status, 'invalid_request', param]);
  });

  it('tell what the services refuse in the names of the path', async () => {
    await catalog.answer(catalogContracts.suspendOffer, notFound('There is no offer ofr_9 here.', 'offerId'));
    const refused = await operator.send('POST', '/operators/offers/ofr_9/suspend', { reason });
    expect(await errorOf(refused)).toEqual([404, 'invalid_request', 'id']);
  });
});

describe('what operators see', () => {
  it('is how the marketplace stands', async () => {
    const shown = await operator.get('/operators/overview');
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(await shown.json()).toEqual({
      catalogue: {
        ...{ models: 2, providers: 4, suspended_providers: 1, offers: 5, live_offers: 3 },
        open_certifications: 1,
      },
      settlement: settlementReply,
    });
    expect(await (await operator.get('/operators/settlement')).json()).toEqual(settlementReply);
  });

  it('is providers, with words of theirs that cannot become markup', async () => {
    const summary = {
      provider,
      name: EVIL,
      contact: EVIL,
      registeredAt: '2026-11-21T06:00:00.000Z',
      offers: 2,
    };
    const suspension = { at: '2026-11-21T07:00:00.000Z', reason: EVIL };
    await catalog.answer(catalogContracts.listProviders, {
      providers: [{ ...summary, suspension, secret: 'hidden' } as never],
      next: provider,
    });
    const query = `search=0xC3&only=suspended&cursor=${provider.toUpperCase().replace('0X', '0x')}&limit=100`;
    const text = await (await operator.get(`/operators/providers?${query}`)).text();
    expect(text).not.toMatch(/[<>&]|hidden/);
    expect(JSON.parse(text)).toEqual({
      providers: [
        {
          ...{ provider, name: EVIL, contact: EVIL, registered_at: '2026-11-21T06:00:00.000Z', offers: 2 },
          suspension: { at: '2026-11-21T07:00:00.000Z', reason: EVIL },
        },
      ],
      next: provider,
    });
    expect(catalog.lastOf(catalogContracts.listProviders)).toEqual({
      ...{ search: '0xC3', suspended: true, after: provider, limit: 100 },
    });
  });

  it('is wallets with what they owe', async () => {
    const suspension = { suspendedAt: null, reason: null, pullFailedAt: '2026-11-21T06:00:00.000Z' };
    const figures = { limit: '1', charged: '2000000', held: '0', unsettled: '-5' };
    await billing.answer(billingContracts.listWallets, {
      wallets: [{ wallet, registeredAt: '2026-11-20T06:00:00.000Z', suspension, ...figures }],
      next: `suspended-${wallet}`,
    });
    const shown = await operator.get(`/operators/wallets?search=0xB2&cursor=standing-${wallet}&limit=1`);
    expect(await shown.json()).toEqual({
      wallets: [
        {
          wallet,
          registered_at: '2026-11-20T06:00:00.000Z',
          suspension: { suspended_at: null, reason: null, pull_failed_at: '2026-11-21T06:00:00.000Z' },
          ...{ limit_usdc: '0.000001', charged_usdc: '2.000000', held_usdc: '0.000000' },
          unsettled_usdc: '-0.000005',
        },
      ],
      next: `suspended-${wallet}`,
    });
    expect(billing.lastOf(billingContracts.listWallets)).toEqual({
      ...{ search: '0xb2', after: `standing-${wallet}`, limit: 1 },
    });
  });

  it('is both audit trails, of everything or of one thing', async () => {
    const entry = { id: 7, at: '2026-11-21T06:00:00.000Z', actor: OPERATOR, action: 'offer.suspend' };
    const entries = [{ ...entry, subject: 'ofr_1', reason: EVIL }];
    await catalog.answer(catalogContracts.listAudit, { entries, next: 7 });
    const text = await (await operator.get('/operators/audit?of=catalogue&subject=ofr_1&cursor=9')).text();
    expect(text).not.toMatch(/[<>&]/);
    expect(JSON.parse(text)).toEqual({ entries, next: '7' });
    expect(catalog.lastOf(catalogContracts.listAudit)).toEqual({ subject: 'ofr_1', before: 9, limit: 50 });
    await operator.get(`/operators/audit?of=billing&subject=${wallet.toUpperCase().replace('0X', '0x')}`);
    expect(billing.lastOf(billingContracts.listBillingAudit)).toEqual({ subject: wallet, limit: 50 });
  });

  it.each([
    ['/providers?search=', 'search'],
    [`/providers?search=${'x'.repeat(81)}`, 'search'],
    ['/providers?only=live', 'only'],
    ['/providers?cursor=abc', 'cursor'],
    ['/providers?limit=101', 'limit'],
    ['/providers?limit=1&limit=2', 'limit'],
    ['/wallets?search=b2', 'search'],
    ['/wallets?cursor=0x', 'cursor'],
    ['/wallets?limit=0', 'limit'],
    ['/audit', 'of'],
    ['/audit?of=all', 'of'],
    ['/audit?of=billing&cursor=-1', 'cursor'],
    ['/audit?of=billing&limit=1e2', 'limit'],
  ])('%s is refused by its field', async (path, param) => {
    expect(await errorOf(await operator.get(`/operators${path}`))).toEqual([400, 'invalid_request', param]);
  });
});

describe('when billing is away', () => {
  it('the overview shows the other half', async () => {
    const own = await new GatewayHarness().start();
    try {
      const alone = new FakeService((await own.nats.connectAs('catalog')).connection);
      await alone.answer(catalogContracts.showOverview, catalogue);
      const visitor = await PortalVisitor.signedIn(own, OPERATOR);
      const shown = await visitor.get('/operators/overview');
      expect(await shown.json()).toMatchObject({ catalogue: { providers: 4 }, settlement: null });
      await alone.answer(catalogContracts.showOverview, noCapacity('It has no database now.', 2));
      const nothing = await visitor.get('/operators/overview');
      expect(await nothing.json()).toEqual({ catalogue: null, settlement: null });
    } finally {
      await own.stop();
    }
  });
});
