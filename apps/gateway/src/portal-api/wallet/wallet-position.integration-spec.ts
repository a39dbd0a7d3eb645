import { billingContracts } from '@svc/contracts';
import { noCapacity, notFound } from '@svc/errors';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';
import { positionOf } from '../../testing/statements.for-spec';
import { WalletPositionService } from './wallet-position.service';

const wallet = `0x${'a1'.repeat(20)}`;
const harness = new GatewayHarness();
let billing: FakeService;
let visitor: PortalVisitor;

beforeAll(async () => {
  await harness.start();
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  visitor = await PortalVisitor.signedIn(harness, wallet);
});
afterAll(() => harness.stop());
beforeEach(async () => {
  await billing.answer(billingContracts.showPosition, positionOf(wallet));
  await billing.answer(billingContracts.registerWallet, {} as never);
});

const shown = {
  ...{ wallet, balance_usdc: '20.000000', approved_usdc: '10.000000', limit_usdc: '10.000000' },
  ...{ confirmed_limit_usdc: '9.000000', collectable_usdc: '9.000000', available_usdc: '8.500000' },
  ...{
    held_usdc: '0.300000',
    unsettled_usdc: '0.200000',
    charged_usdc: '0.700000',
    credited_usdc: '0.000000',
  },
  ...{ settled_usdc: '0.500000', spendable_usdc: '8.500000', open_requests: 2, stopped: null },
};

describe('the position of the wallet that is signed in', () => {
  it('is what billing says, in USDC', async () => {
    const reply = await visitor.get('/wallet');
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await reply.json()).toEqual(shown);
    expect(billing.lastOf(billingContracts.showPosition)).toEqual({ wallet });
    expect(billing.timesAsked(billingContracts.registerWallet)).toBe(0);
  });

  it('may be below nothing, unread, and stopped; what operators wrote is not told', async () => {
    const suspension = { suspendedAt: null, reason: 'a note', pullFailedAt: '2026-11-21T06:00:00.000Z' };
    const amounts = { balance: null, approved: null, available: '-1', unsettled: '-2500000', spendable: '0' };
    await billing.answer(billingContracts.showPosition, positionOf(wallet, { ...amounts, suspension }));
    const text = await (await visitor.get('/wallet')).text();
    expect(text).not.toContain('a note');
    expect(JSON.parse(text)).toEqual({
      ...shown,
      ...{
        balance_usdc: null,
        approved_usdc: null,
        available_usdc: '-0.000001',
        unsettled_usdc: '-2.500000',
      },
      spendable_usdc: '0.000000',
      stopped: { suspended_at: null, collection_failed_at: '2026-11-21T06:00:00.000Z' },
    });
  });

  it('is read from the chain when billing has not met the wallet', async () => {
    let known = false;
    await billing.answer(billingContracts.showPosition, () =>
      known
        ? positionOf(wallet)
        : notFound('The wallet is not known here; check the address, or register it.', 'wallet'),
    );
    await billing.answer(billingContracts.registerWallet, () => {
      known = true;
      return {} as never;
    });
    expect(await (await visitor.get('/wallet')).json()).toEqual(shown);
  });

  it('is not read from the chain when billing knows the wallet and cannot tell now', async () => {
    const before = billing.timesAsked(billingContracts.registerWallet);
    await billing.answer(billingContracts.showPosition, () => noCapacity('Billing is busy.'));
    const reply = await visitor.get('/wallet');
    expect([reply.status, await reply.json()]).toMatchObject([503, { error: { code: 'no_capacity' } }]);
    expect(billing.timesAsked(billingContracts.registerWallet)).toBe(before);
  });

  it('is read anew when asked, once for all who ask meanwhile', async () => {
    const before = billing.timesAsked(billingContracts.registerWallet);
    // Who asks over HTTP may come when the one before has its answer already; these come in one turn.
    const positions = harness.app.get(WalletPositionService);
    const shownAlike = await Promise.all(Array.from({ length: 8 }, () => positions.refresh(wallet, 'req_1')));
    expect(shownAlike).toEqual(Array.from({ length: 8 }, () => positionOf(wallet)));
    expect(billing.timesAsked(billingContracts.registerWallet) - before).toBe(1);
    const reply = await visitor.send('POST', '/wallet/refresh');
    expect([reply.status, await reply.json()]).toEqual([200, shown]);
    expect(billing.timesAsked(billingContracts.registerWallet) - before).toBe(2);
    expect(billing.lastOf(billingContracts.registerWallet)).toEqual({ wallet });
    const forged = await fetch(`${harness.url}/portal/api/wallet/refresh`, {
      method: 'POST',
      headers: { cookie: visitor.headers.cookie, origin: visitor.headers.origin },
    });
    expect(forged.status).toBe(403);
  });

  it('is not told as read anew when it could not be', async () => {
    await billing.answer(billingContracts.registerWallet, noCapacity('The chain cannot be read.'));
    const reply = await visitor.send('POST', '/wallet/refresh');
    expect([reply.status, await reply.json()]).toMatchObject([503, { error: { code: 'no_capacity' } }]);
  });

  it('has refunds and credits, by pages, without who gave them', async () => {
    const line = { kind: 'credit', id: 'crd_1', createdAt: '2026-11-21T06:00:00.000001Z', amount: '1500000' };
    await billing.answer(billingContracts.listCredits, {
      lines: [{ ...line, kind: 'credit', reason: '<b>sorry</b>', actor: 'support-ada' }],
      next: 'bmV4dA',
    });
    const text = await (await visitor.get('/wallet/credits?kind=credit&limit=1&cursor=YmVmb3Jl')).text();
    expect(text).not.toContain('<b>');
    expect(JSON.parse(text)).toEqual({
      credits: [
        {
          ...{ kind: 'credit', id: 'crd_1', created_at: line.createdAt },
          ...{ amount_usdc: '1.500000', reason: '<b>sorry</b>' },
        },
      ],
      next: 'bmV4dA',
    });
    const asked = { wallet, kind: 'credit', limit: 1, cursor: 'YmVmb3Jl' };
    expect(billing.lastOf(billingContracts.listCredits)).toEqual(asked);
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=1e1',
      'cursor=%00',
      'kind=bribe',
      'limit=1&limit=2',
    ]) {
      const refused = await visitor.get(`/wallet/credits?${query}`);
      expect([query, refused.status]).toEqual([query, 400]);
    }
  });
});
