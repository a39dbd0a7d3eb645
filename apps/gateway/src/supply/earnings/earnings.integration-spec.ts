import { billingContracts, catalogContracts } from '@svc/contracts';
import type { ClaimView, EarningList } from '@svc/contracts';
import { SvcError, invalidRequest, noCapacity, notFound } from '@svc/errors';
import { errorOf } from '../../testing/error-of.for-spec';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { checksummed, provider, signature, terms } from '../../testing/supply.for-spec';

const harness = new GatewayHarness();
let catalog: FakeService;
let billing: FakeService;

const earned: EarningList = {
  lines: [
    {
      time: '2026-11-21T00:00:00Z',
      model: 'svc/demo@1',
      requests: 3,
      promptTokens: 10,
      completionTokens: 20,
      credited: '450',
    },
  ],
  totals: { requests: 4, promptTokens: 11, completionTokens: 21, credited: '1000451' },
  account: { credited: '12000000', released: '2500000', paidOut: '500000', payable: '2000000' },
  shareBps: 9_000,
  next: 'abc',
};
const published: ClaimView = {
  provider,
  cumulative: '2500000',
  proof: [`0x${'11'.repeat(32)}`],
  root: `0x${'22'.repeat(32)}`,
  state: 'settled',
  publishedAt: '2026-11-21T06:00:00Z',
  paid: '500000',
};
const sums = { requests: 4, prompt_tokens: 11, completion_tokens: 21, credited_usdc: '1.000451' };
const reply = {
  provider,
  lines: [
    {
      time: '2026-11-21T00:00:00Z',
      model: 'svc/demo@1',
      requests: 3,
      prompt_tokens: 10,
      completion_tokens: 20,
      credited_usdc: '0.000450',
    },
  ],
  totals: sums,
  account: {
    credited_usdc: '12.000000',
    released_usdc: '2.500000',
    paid_out_usdc: '0.500000',
    payable_usdc: '2.000000',
  },
  share_bps: 9_000,
  claim: {
    chain_id: 31_337,
    contract: terms.domain.verifyingContract,
    provider,
    cumulative: '2500000',
    proof: [`0x${'11'.repeat(32)}`],
    root: `0x${'22'.repeat(32)}`,
    state: 'settled',
    published_at: '2026-11-21T06:00:00Z',
    claimable_usdc: '2.000000',
    paid_usdc: '0.500000',
  },
  next: 'abc',
};

beforeAll(async () => {
  await harness.start({ SUPPLY_READS_PER_MINUTE: '10000' });
  catalog = new FakeService((await harness.nats.connectAs('catalog')).connection);
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  await catalog.answer(catalogContracts.identifyProvider, { provider });
  await catalog.answer(catalogContracts.showSupplyTerms, terms);
  await billing.answer(billingContracts.listEarnings, earned);
  await billing.answer(billingContracts.showClaim, published);
});
afterAll(() => harness.stop());

const access = { provider: checksummed, issued_at: 1_790_000_000, expires_at: 1_790_000_300, signature };
const authorizationOf = (fields: object) =>
  `Wallet ${Buffer.from(JSON.stringify(fields)).toString('base64url')}`;

const ask = (query = '', authorization = authorizationOf(access), wallet = checksummed) =>
  fetch(`${harness.url}/v1/providers/${wallet}/earnings${query}`, { headers: { authorization } });

describe('GET /v1/providers/{wallet}/earnings', () => {
  it('shows the provider what it earned and what it can claim', async () => {
    const shown = await ask();
    expect(shown.status).toBe(200);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(await shown.json()).toEqual(reply);
    expect(catalog.lastOf(catalogContracts.identifyProvider)).toEqual({
      provider,
      issuedAt: 1_790_000_000,
      expiresAt: 1_790_000_300,
      signature,
    });
    expect(billing.lastOf(billingContracts.listEarnings)).toEqual({ provider, by: 'day' });
  });

  it('shows the part that is asked for', async () => {
    const from = '2026-11-01T00:00:00Z';
    const to = '2026-11-02T00:00:00Z';
    await ask(`?from=${from}&to=${to}&by=hour&model=svc%2Fdemo%401&cursor=abc&limit=500`);
    const asked = { provider, from, to, by: 'hour', model: 'svc/demo@1', cursor: 'abc', limit: 500 };
    expect(billing.lastOf(billingContracts.listEarnings)).toEqual(asked);
  });

  it('has no claim when nothing is payable, nor before a payout is published', async () => {
    const before = billing.timesAsked(billingContracts.showClaim);
    const account = { ...earned.account, payable: '0' };
    await billing.answer(billingContracts.listEarnings, { ...earned, account });
    expect(await (await ask()).json()).toMatchObject({ claim: null });
    expect(billing.timesAsked(billingContracts.showClaim)).toBe(before);
    await billing.answer(billingContracts.listEarnings, earned);
    await billing.answer(billingContracts.showClaim, notFound('Nothing.', 'provider'));
    expect(await (await ask()).json()).toEqual({ ...reply, claim: null });
  });

  it('does not say that nothing can be claimed while billing cannot tell', async () => {
    await billing.answer(billingContracts.showClaim, noCapacity('Billing is busy.'));
    expect(await errorOf(await ask())).toEqual([503, 'no_capacity', null]);
    await billing.answer(billingContracts.showClaim, published);
  });

  it('is for the provider alone, and says so before it looks at anything else', async () => {
    const before = billing.timesAsked(billingContracts.listEarnings);
    const identified = catalog.timesAsked(catalogContracts.identifyProvider);
    const others = authorizationOf({ ...access, provider: `0x${'cd'.repeat(20)}` });
    for (const authorization of ['', `Bearer ${harness.apiKey}`, 'Wallet x', others]) {
      expect(await errorOf(await ask('?by=year', authorization))).toEqual([401, 'invalid_api_key', null]);
    }
    expect(catalog.timesAsked(catalogContracts.identifyProvider)).toBe(identified);
    const refusal = new SvcError({ code: 'invalid_api_key', message: 'The access is over.' });
    await catalog.answer(catalogContracts.identifyProvider, refusal);
    expect(await errorOf(await ask('?by=year'))).toEqual([401, 'invalid_api_key', null]);
    expect(billing.timesAsked(billingContracts.listEarnings)).toBe(before);
    await catalog.answer(catalogContracts.identifyProvider, { provider });
  });

  it.each([
    ['from', '?from=yesterday'],
    ['from', '?from=2026-02-30T00:00:00Z'],
    ['to', '?to='],
    ['by', '?by=year'],
    ['by', '?by=day&by=hour'],
    ['model', '?model=demo'],
    ['cursor', '?cursor=a%20b'],
    ['limit', '?limit=0'],
    ['limit', '?limit=501'],
    ['limit', '?limit=1e2'],
  ])('refuses a %s that does not fit: %s', async (param, query) => {
    expect(await errorOf(await ask(query))).toEqual([400, 'invalid_request', param]);
  });

  it('tells what billing refuses', async () => {
    await billing.answer(billingContracts.listEarnings, invalidRequest('Whole hours.', 'from'));
    expect(await errorOf(await ask('?from=2026-11-01T00:30:00Z'))).toEqual([400, 'invalid_request', 'from']);
  });
});
