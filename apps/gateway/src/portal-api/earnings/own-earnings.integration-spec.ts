import { billingContracts, catalogContracts } from '@svc/contracts';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';
import { provider, terms } from '../../testing/supply.for-spec';

const harness = new GatewayHarness();
let billing: FakeService;
let visitor: PortalVisitor;

beforeAll(async () => {
  await harness.start();
  const catalog = new FakeService((await harness.nats.connectAs('catalog')).connection);
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  visitor = await PortalVisitor.signedIn(harness, provider);
  await catalog.answer(catalogContracts.showSupplyTerms, terms);
  await billing.answer(billingContracts.listEarnings, {
    lines: [],
    totals: { requests: 0, promptTokens: 0, completionTokens: 0, credited: '0' },
    account: { credited: '9', released: '8', paidOut: '1', payable: '7' },
    shareBps: 8_000,
    next: null,
  });
  await billing.answer(billingContracts.showClaim, {
    ...{ provider, cumulative: '8', proof: [], root: `0x${'22'.repeat(32)}`, paid: '1' },
    ...{ state: 'settled', publishedAt: '2026-11-21T06:00:00Z' },
  });
});
afterAll(() => harness.stop());

describe('GET /portal/api/earnings', () => {
  it('is what the wallet that is signed in earned, and no other', async () => {
    const shown = await visitor.get(`/earnings?by=month&from=2026-11-01T00:00:00Z&limit=10`);
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await shown.json()).toMatchObject({
      provider,
      account: { payable_usdc: '0.000007' },
      share_bps: 8_000,
      claim: { cumulative: '8', claimable_usdc: '0.000007', contract: terms.domain.verifyingContract },
    });
    expect(billing.lastOf(billingContracts.listEarnings)).toEqual({
      ...{ provider, by: 'month', from: '2026-11-01T00:00:00Z', limit: 10 },
    });
    expect(billing.lastOf(billingContracts.showClaim)).toEqual({ provider });
    const asked = billing.timesAsked(billingContracts.listEarnings);
    const ofAnother = await visitor.get(`/earnings?provider=0x${'ab'.repeat(20)}`);
    expect(ofAnother.status).toBe(400);
    expect(await ofAnother.json()).toMatchObject({ error: { param: 'provider' } });
    expect(billing.timesAsked(billingContracts.listEarnings)).toBe(asked);
  });

  it('needs a session, and a query that fits', async () => {
    expect((await fetch(`${harness.url}/portal/api/earnings`)).status).toBe(401);
    const refused = await visitor.get('/earnings?by=year');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'by' } });
  });
});
