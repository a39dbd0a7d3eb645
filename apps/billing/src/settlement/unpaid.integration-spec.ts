import { SettlementBench, mined } from './settlement.for-spec';
import type { Buyer, Instance } from './settlement.for-spec';

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

const approve = (buyer: Buyer, amount: bigint) =>
  mined(buyer.token.approve(bench.contracts.settlement, amount));
const credit = (buyer: Buyer, id: string, amount: number) =>
  bench.sql(`SELECT billing.credit_wallet($1, $2, $3, 'goodwill', 'support')`, [buyer.wallet, id, amount]);
const giveBack = (buyer: Buyer, holdId: string) =>
  bench.ledger.ledger.resolve({ type: 'abandon', wallet: buyer.wallet, holdId });
const noted = () => bench.sql('SELECT wallet FROM billing.short_wallet');

/** Somebody who was asked for 4,000, had nothing approved, and is suspended. */
async function debtor(): Promise<Buyer> {
  const buyer = await bench.buyer(billing.watcher, 10n * USDC);
  await bench.buy(buyer, 4_000);
  await approve(buyer, 0n);
  await bench.settle(billing);
  expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '0', failed: true });
  return buyer;
}

describe('a wallet that did not pay all it was asked for', () => {
  it('is not suspended for what was given back after its batch was made', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    const holdId = await bench.buy(buyer, 4_000);
    await approve(buyer, 0n);
    await bench.turn(billing);
    await giveBack(buyer, holdId);
    await bench.mine(2);
    await bench.turn(billing, 2);
    expect((await bench.batches()).at(-1)).toBe('settled 1 1 4000');
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '0', failed: false });
    await approve(buyer, 10n * USDC);
    await bench.mine(2);
    await billing.watcher.poll();
    await bench.buy(buyer, 10);
  });

  it.each([
    ['a credit', (buyer: Buyer) => credit(buyer, 'crd_whole', 4_000)],
    ['a credit of more', (buyer: Buyer) => credit(buyer, 'crd_more', 5_000)],
  ])('is whole by %s, and is not asked for it when it can pay again', async (_, cover) => {
    const buyer = await debtor();
    await cover(buyer);
    await bench.turn(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ failed: false });
    expect(await noted()).toEqual([]);
    const before = await bench.batches();
    await approve(buyer, 10n * USDC);
    await bench.mine(2);
    for (let round = 0; round < 3; round++) await bench.settle(billing);
    expect(await bench.batches()).toEqual(before);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '0' });
    await bench.buy(buyer, 10);
  });

  it('is asked only for what it still owes after a credit of part of it', async () => {
    const buyer = await debtor();
    await credit(buyer, 'crd_part', 1_500);
    await bench.turn(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ failed: true });
    await approve(buyer, 10n * USDC);
    await bench.mine(2);
    for (let round = 0; round < 2; round++) await bench.settle(billing);
    expect(await bench.contract.pulled(buyer.wallet)).toBe(2_500n);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '2500', failed: false });
    expect(await noted()).toEqual([]);
    await bench.buy(buyer, 6_000);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ posted: '10000', settled: '8500' });
  });

  it('has no means when it is the treasury, which the contract pulls nothing from', async () => {
    const treasury = bench.treasury.toLowerCase();
    await mined(bench.token.faucet(treasury, 10n * USDC));
    await bench.mine(2);
    await bench.sql('INSERT INTO billing.wallet (wallet) VALUES ($1)', [treasury]);
    await billing.watcher.poll();
    await billing.watcher.refresh(treasury);
    expect(
      await bench.sql('SELECT limit_head, limit_safe FROM billing.wallet WHERE wallet = $1', [treasury]),
    ).toEqual([{ limit_head: '0', limit_safe: '0' }]);
  });

  it('is suspended when its means fall after its batch, though a cap of the day was in the way then', async () => {
    const [payerDay, allDay, payoutDay] = await bench.contract.caps();
    await mined(bench.contract.setCaps({ payerDay: 1_000n, allDay, payoutDay }));
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 4_000);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '1000', failed: false });
    expect(await noted()).toEqual([{ wallet: buyer.wallet }]);
    await approve(buyer, 0n);
    for (let round = 0; round < 2; round++) await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '1000', failed: true });
    await mined(bench.contract.setCaps({ payerDay, allDay, payoutDay }));
  });
});
