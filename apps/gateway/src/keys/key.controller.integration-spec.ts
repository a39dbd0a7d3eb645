import type { KeyView } from '@svc/contracts';
import { wallet } from '../testing/fake-billing.for-spec';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';

const harness = new GatewayHarness();
beforeAll(() => harness.start());
afterAll(() => harness.stop());

const view: KeyView = {
  ...{ keyId: 'key_1', wallet, name: 'laptop', lastFour: 'abcd', state: 'active' },
  ...{ createdAt: '2026-11-01T00:00:00.000Z', lastUsedAt: null, previousExpiresAt: null },
  ...{ budgetCap: '5000000', budgetReset: 'monthly', resetsAt: '2026-12-01T00:00:00.000Z' },
  ...{ spent: '1250001', held: '40', spendable: '3749959' },
};

const ask = (authorization?: string) =>
  fetch(`${harness.url}/v1/key`, { headers: authorization === undefined ? {} : { authorization } });

describe('GET /v1/key', () => {
  it('tells a key its own budget, in USDC', async () => {
    harness.billing.keyView = view;
    const reply = await ask(`Bearer ${harness.apiKey}`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await reply.json()).toEqual({
      ...{ id: 'key_1', object: 'key', name: 'laptop', last_four: 'abcd', wallet },
      ...{ created_at: view.createdAt, last_used_at: null, previous_expires_at: null },
      budget: { cap_usdc: '5.000000', reset: 'monthly', resets_at: '2026-12-01T00:00:00.000Z' },
      ...{ spent_usdc: '1.250001', held_usdc: '0.000040', spendable_usdc: '3.749959' },
    });
  });

  it('has no budget where only the wallet limits', async () => {
    harness.billing.keyView = { ...view, budgetCap: null, budgetReset: null, resetsAt: null };
    expect(await (await ask(`Bearer ${harness.apiKey}`)).json()).toMatchObject({ budget: null });
  });

  it.each([undefined, 'Bearer svc_test_no', 'Basic abc'])('refuses %s', async (authorization) => {
    const reply = await ask(authorization);
    expect(reply.status).toBe(401);
    expect(await reply.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
  });

  it('passes on what billing refuses', async () => {
    harness.billing.keyView = { code: 'account_suspended', message: 'suspended' };
    const reply = await ask(`Bearer ${harness.apiKey}`);
    expect([reply.status, ((await reply.json()) as { error: { code: string } }).error.code]).toEqual([
      403,
      'account_suspended',
    ]);
  });
});
