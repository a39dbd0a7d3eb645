import { Transaction } from 'ethers';
import { CONFIRMATIONS, SettlementBench, mined } from './settlement.for-spec';
import type { Buyer, Instance } from './settlement.for-spec';

const USDC = 1_000_000n;
/** Before a batch in the same block. */
const FIRST = { maxPriorityFeePerGas: 10n ** 12n, maxFeePerGas: 10n ** 13n };

let bench: SettlementBench;
let billing: Instance;
let barred: Buyer;
let capped: Buyer;

beforeEach(async () => {
  bench = await SettlementBench.start();
  billing = await bench.instance({ settlementBumpMs: 3_600_000 });
  barred = await bench.buyer(billing.watcher, 10n * USDC);
  capped = await bench.buyer(billing.watcher, 10n * USDC);
  await bench.buy(barred, 700);
  await bench.buy(capped, 2_000);
});
afterEach(async () => {
  const differences = await billing.reconciliation.reconcile('full');
  await bench.close();
  expect(differences).toEqual([]);
});

/** Of one payer in a day. */
async function cap(payerDay: bigint): Promise<void> {
  await mined(bench.contract.setCaps({ payerDay, allDay: 10n ** 12n, payoutDay: 0n }));
}

/** The batch is made, and mined by the next block, after what else `before` sends. */
async function mineBatch(before: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  await bench.automine(false);
  await bench.turn(billing);
  await before();
  await bench.mine(1);
  await bench.automine(true);
}

/** What it sent, by a transaction of its own: as a settler would whose nonce was used, with the former one still around. */
async function mineAgain(): Promise<void> {
  const [row] = await bench.sql<{ raw: string }>(`SELECT raw FROM billing.chain_transaction`);
  const { to, data, gasLimit } = Transaction.from(row?.raw ?? '');
  await (await bench.settler.sendTransaction({ to, data, gasLimit })).wait();
}

async function becomeSafe(): Promise<void> {
  await bench.mine(CONFIRMATIONS);
  await billing.watcher.poll();
  await billing.settlement.tick();
  expect((await bench.batches())[0]).toBe('settled 2 2 2700');
}

/** `pull_failed` events of the batch, as the database has them. */
async function failures(): Promise<number> {
  return (await bench.sql(`SELECT FROM billing.settlement_event WHERE kind = 'pull_failed'`)).length;
}

describe('of a batch that is mined twice, a failed pull is held against', () => {
  it('who failed when the token was at work, not who failed while it was paused', async () => {
    await mineBatch(() => bench.token.pause(FIRST));
    await mined(bench.token.unpause());
    await mined(bench.token.blacklist(barred.wallet));
    await cap(500n);
    await mineAgain();
    await becomeSafe();
    expect(await failures()).toBe(3);
    expect(await bench.figures(barred.wallet)).toMatchObject({ settled: '0', failed: true });
    // A cap of the day was in the way.
    expect(await bench.figures(capped.wallet)).toMatchObject({ settled: '500', failed: false });
  });

  it('who failed when it became safe, whatever the token does later', async () => {
    await mined(bench.token.blacklist(barred.wallet));
    await cap(500n);
    await mineBatch();
    // So that no other batch asks them meanwhile.
    await billing.operation.pause('stop', 'somebody');
    await becomeSafe();
    expect(await bench.figures(barred.wallet)).toMatchObject({ settled: '0', failed: true });
    expect(await bench.figures(capped.wallet)).toMatchObject({ settled: '500', failed: false });
    await cap(10_000n);
    await mined(bench.token.pause());
    await mineAgain();
    await becomeSafe();
    expect(await failures()).toBe(3);
    expect(await bench.figures(barred.wallet)).toMatchObject({ settled: '0', failed: true });
    expect(await bench.figures(capped.wallet)).toMatchObject({ settled: '500', failed: false });
  });

  it('who failed at the safe depth, though the token is paused above it', async () => {
    await mined(bench.token.blacklist(barred.wallet));
    await mineBatch();
    await bench.mine(CONFIRMATIONS - 2);
    await mined(bench.token.pause());
    await mineAgain();
    await billing.watcher.poll();
    await billing.settlement.tick();
    expect((await bench.batches())[0]).toBe('settled 2 2 2700');
    expect(await failures()).toBe(2);
    expect(await bench.figures(barred.wallet)).toMatchObject({ settled: '0', failed: true });
    expect(await bench.figures(capped.wallet)).toMatchObject({ settled: '2000', failed: false });
  });

  it('nobody for what failed in blocks that are no longer on the chain', async () => {
    await mined(bench.token.blacklist(barred.wallet));
    await bench.mine(1);
    await mineBatch();
    await billing.watcher.poll();
    expect(await failures()).toBe(1);
    // The list of those who are barred goes with the batch.
    await bench.reorganise(3);
    await cap(500n);
    await mineAgain();
    await becomeSafe();
    expect(await failures()).toBe(0);
    expect(await bench.figures(barred.wallet)).toMatchObject({ settled: '500', failed: false });
    expect(await bench.figures(capped.wallet)).toMatchObject({ settled: '500', failed: false });
  });
});
