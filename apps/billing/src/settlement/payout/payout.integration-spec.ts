import { PROVIDER } from '../../ledger/ledger.for-spec';
import { SettlementBench, mined } from '../settlement.for-spec';
import type { Instance } from '../settlement.for-spec';

const USDC = 1_000_000n;

let bench: SettlementBench;
let billing: Instance;

beforeAll(async () => {
  bench = await SettlementBench.start();
  billing = await bench.instance();
});
afterAll(() => bench.close());
afterEach(async () => {
  expect(await billing.reconciliation.reconcile('full')).toEqual([]);
});

/** Lets a root be made and become safe. */
async function publish(): Promise<void> {
  await billing.projection.project('statements');
  for (let round = 0; round < 2; round++) {
    await billing.watcher.poll();
    await billing.payouts.tick();
    await bench.mine(2);
  }
  await billing.watcher.poll();
  await billing.payouts.tick();
}

async function claim(): Promise<void> {
  const { provider, cumulative, proof } = await billing.claims.claim({ provider: PROVIDER });
  await mined(bench.contract.claim(provider, BigInt(cumulative), proof));
  await bench.mine(2);
  await billing.watcher.poll();
  await billing.payouts.tick();
}

const payouts = () =>
  bench.sql<{ kind: string; amount: string }>(
    `SELECT kind::text, amount::text FROM billing.transfer WHERE kind IN ('payout', 'unpayout') ORDER BY created_at`,
  );

describe('payouts', () => {
  it('lets a provider claim what it earned, and books what it claimed', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 1_000_000);
    await bench.settle(billing);
    await publish();
    expect(await bench.sql('SELECT state, settled_at IS NOT NULL AS done FROM billing.payout')).toEqual([
      { state: 'settled', done: true },
    ]);
    expect(await payouts()).toEqual([]);
    await claim();
    expect(await bench.token.balanceOf(PROVIDER)).toBe(900_000n);
    expect(await payouts()).toEqual([{ kind: 'payout', amount: '900000' }]);

    await bench.buy(buyer, 500_000);
    await bench.settle(billing);
    await publish();
    await claim();
    expect(await bench.token.balanceOf(PROVIDER)).toBe(1_350_000n);
    expect(await payouts()).toEqual([
      { kind: 'payout', amount: '900000' },
      { kind: 'payout', amount: '450000' },
    ]);
  });

  it('publishes nothing while nobody earned more', async () => {
    const before = await bench.sql('SELECT payout_id FROM billing.payout');
    await publish();
    expect(await bench.sql('SELECT payout_id FROM billing.payout')).toEqual(before);
  });

  it('takes a payout back that the chain took back', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 100_000);
    await bench.settle(billing);
    await publish();
    await bench.mine(6);
    await claim();
    await bench.provider.send('anvil_reorg', [5, []]);
    await bench.mine(1);
    await billing.watcher.poll();
    await billing.payouts.tick();
    expect((await payouts()).slice(-2)).toEqual([
      { kind: 'payout', amount: '90000' },
      { kind: 'unpayout', amount: '90000' },
    ]);
    await claim();
    expect(await bench.contract.paid(PROVIDER)).toBe(1_440_000n);
  });
});
