import { billingContracts } from '@svc/contracts';
import type { WalletDue } from '@svc/contracts';
import { noCapacity, notFound } from '@svc/errors';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';

const wallet = `0x${'a1'.repeat(20)}`;
const word = (digit: string) => `0x${digit.repeat(64)}`;
const harness = new GatewayHarness();
let billing: FakeService;
let visitor: PortalVisitor;

const due: WalletDue = {
  batch: {
    ...{ batchId: word('1'), state: 'settled', root: word('2'), dues: 3, receipts: 9, amount: '2500000' },
    ...{ pulled: '2000000', failedPulls: 1, createdAt: '2026-11-21T06:00:00.000Z' },
    ...{ settledAt: '2026-11-21T06:01:00.000Z', txHash: word('3'), gasCost: '210000000000000' },
  },
  line: {
    ...{
      wallet,
      previous: '100',
      cumulative: '500150',
      payerRoot: word('4'),
      pulled: '500050',
      failed: false,
    },
  },
  receipts: 2,
};

const shown = {
  ...{ id: word('1'), state: 'settled', root: word('2'), wallets: 3, total_usdc: '2.500000' },
  ...{ created_at: '2026-11-21T06:00:00.000Z', settled_at: '2026-11-21T06:01:00.000Z' },
  ...{ tx_hash: word('3'), gas_cost_wei: '210000000000000' },
  own: {
    ...{ previous_usdc: '0.000100', cumulative_usdc: '0.500150', amount_usdc: '0.500050' },
    ...{ pulled_usdc: '0.500050', failed: false, receipts: 2, payer_root: word('4') },
  },
};

beforeAll(async () => {
  await harness.start();
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  await billing.answer(billingContracts.listDues, { dues: [due], next: word('1') });
  visitor = await PortalVisitor.signedIn(harness, wallet);
});
afterAll(() => harness.stop());

describe('the settlements of a wallet', () => {
  it('are the batches with a line of its own', async () => {
    const reply = await visitor.get(`/settlements?limit=5&cursor=${word('9')}`);
    expect([reply.status, await reply.json()]).toEqual([200, { settlements: [shown], next: word('1') }]);
    expect(billing.lastOf(billingContracts.listDues)).toEqual({ wallet, limit: 5, before: word('9') });
    await visitor.get('/settlements');
    expect(billing.lastOf(billingContracts.listDues)).toEqual({ wallet });
    for (const query of ['limit=0', 'limit=101', 'cursor=abc', `cursor=${word('G')}`]) {
      expect([query, (await visitor.get(`/settlements?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('show one with its transactions and a page of the wallet’s receipts in it', async () => {
    await billing.answer(billingContracts.showDue, {
      ...due,
      transactions: [
        {
          ...{ txHash: word('3'), nonce: '7', maxFeePerGas: '1000', broadcast: true },
          signedAt: '2026-11-21T06:00:01.000Z',
        },
        {
          ...{ txHash: word('5'), nonce: '7', maxFeePerGas: '2000', broadcast: false },
          signedAt: '2026-11-21T06:00:02.000Z',
        },
      ],
      collected: [
        {
          kind: 'usage',
          id: 'req_1',
          createdAt: '2026-11-21T05:00:00.000000Z',
          amount: '500060',
          model: 'svc/a@1',
        },
        { kind: 'refund', id: 'req_0', createdAt: '2026-11-21T05:00:01.000000Z', amount: '-10', model: null },
      ],
      next: 'bmV4dA',
    });
    const reply = await visitor.get(`/settlements/${word('1')}?limit=2&cursor=YmVmb3Jl`);
    expect(await reply.json()).toEqual({
      ...shown,
      transactions: [
        { tx_hash: word('3'), signed_at: '2026-11-21T06:00:01.000Z', sent: true },
        { tx_hash: word('5'), signed_at: '2026-11-21T06:00:02.000Z', sent: false },
      ],
      collected: [
        {
          ...{ kind: 'usage', id: 'req_1', created_at: '2026-11-21T05:00:00.000000Z' },
          ...{ amount_usdc: '0.500060', model: 'svc/a@1' },
        },
        {
          ...{ kind: 'refund', id: 'req_0', created_at: '2026-11-21T05:00:01.000000Z' },
          ...{ amount_usdc: '-0.000010', model: null },
        },
      ],
      next: 'bmV4dA',
    });
    const asked = { wallet, batchId: word('1'), limit: 2, cursor: 'YmVmb3Jl' };
    expect(billing.lastOf(billingContracts.showDue)).toEqual(asked);
  });

  it('have the same words for a batch without the wallet, an unknown one and no id at all', async () => {
    await billing.answer(
      billingContracts.showDue,
      notFound('The wallet has no line in such a batch.', 'batchId'),
    );
    const bodies = new Set<string>();
    for (const id of [word('7'), word('F'), '1', '%00', `${word('7')}%20`]) {
      const reply = await visitor.get(`/settlements/${id}`);
      expect([id, reply.status]).toEqual([id, 404]);
      bodies.add(await reply.text());
    }
    expect([...bodies]).toEqual([expect.stringContaining('Your wallet has no line in such a batch.')]);
  });

  it('are not called missing while billing cannot tell', async () => {
    await billing.answer(billingContracts.showDue, noCapacity('Billing is busy.'));
    const reply = await visitor.get(`/settlements/${word('1')}`);
    expect([reply.status, await reply.json()]).toMatchObject([503, { error: { code: 'no_capacity' } }]);
  });

  it('are for whoever is signed in', async () => {
    for (const path of ['/settlements', `/settlements/${word('1')}`]) {
      expect((await fetch(`${harness.url}/portal/api${path}`)).status).toBe(401);
    }
  });
});
