import { SettlementBench, mined } from './settlement.for-spec';
import type { Buyer, Instance } from './settlement.for-spec';

const USDC = 1_000_000n;
const DEEPEST = 15;
/** REORG_SEED runs one seed again, REORG_SEEDS more or fewer of them. */
const seeds = process.env.REORG_SEED
  ? [Number(process.env.REORG_SEED)]
  : Array.from({ length: Number(process.env.REORG_SEEDS ?? 50) }, (_, index) => index + 1);
/** A development node that has been reorganised for about a thousand blocks forgets what is on it. */
const SEEDS_PER_CHAIN = 10;
const groups = seeds.flatMap((_, index) =>
  index % SEEDS_PER_CHAIN === 0 ? [[seeds.slice(index, index + SEEDS_PER_CHAIN)]] : [],
);

let bench: SettlementBench;
let billing: Instance;
let buyers: Buyer[];

/** A generator of whole numbers below `limit` (mulberry32). */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed * 0x9e3779b9;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

async function anything(random: (limit: number) => number): Promise<void> {
  const buyer = buyers[random(buyers.length)] as Buyer;
  switch (random(8)) {
    case 0:
    case 1:
    case 2:
      // Refused while its approval does not cover it.
      await bench.buy(buyer, 1 + random(50_000)).catch(() => undefined);
      return;
    case 3:
      await mined(buyer.token.approve(bench.contracts.settlement, random(3) === 0 ? 0n : 1_000n * USDC));
      return;
    case 4:
      await bench.mine(1 + random(3));
      return;
    default:
      await bench.turn(billing);
  }
}

/** What is sent again, is sent after a while: so it is time that counts, not blocks. */
const CALM_WITHIN_MS = 120_000;

/** Everybody can pay, and has time to. */
async function calmDown(): Promise<void> {
  for (const buyer of buyers) await mined(buyer.token.approve(bench.contracts.settlement, 1_000n * USDC));
  const deadlineMs = performance.now() + CALM_WITHIN_MS;
  while (performance.now() < deadlineMs) {
    await bench.mine(2);
    await bench.turn(billing);
    const [open] = await bench.sql<{ owed: string; open: string }>(
      `SELECT (SELECT sum(posted - credited - settled_safe)::text FROM billing.wallet) AS owed,
              (SELECT count(*)::text FROM billing.settlement_batch WHERE state <> 'settled') AS open`,
    );
    if (open?.owed === '0' && open.open === '0') return;
  }
  const seen = [await bench.batches(), billing.status.condition, await billing.watcher.readiness.check()];
  throw new Error(`not calm: ${JSON.stringify(seen)}`);
}

describe.each(groups)('a chain that is reorganised, seeds %j', (ofThisChain) => {
  beforeAll(async () => {
    bench = await SettlementBench.start();
    billing = await bench.instance({ settlementBumpMs: 750 });
    buyers = [];
    for (let count = 0; count < 3; count++) buyers.push(await bench.buyer(billing.watcher, 1_000n * USDC));
  });
  afterAll(() => bench.close());

  it.each(ofThisChain)('seed %i', async (seed) => {
    const random = randomFrom(seed);
    const depth = 1 + random(DEEPEST);
    // What came before this seed is out of reach.
    await bench.mine(DEEPEST + 1);
    const steps = 4 + random(12);
    for (let step = 0; step < steps; step++) await anything(random);
    await bench.reorganise(depth);
    for (let step = random(4); step > 0; step--) await anything(random);
    await calmDown();

    expect(await billing.reconciliation.reconcile('full')).toEqual([]);
    for (const { wallet } of buyers) {
      const { posted, settled, failed } = await bench.figures(wallet);
      expect({ settled, failed }).toEqual({ settled: posted, failed: false });
      expect(await bench.contract.pulled(wallet)).toBe(BigInt(posted));
    }
    expect(await bench.token.balanceOf(bench.contracts.settlement)).toBe(0n);
    expect(await bench.token.balanceOf(bench.treasury)).toBe(await bench.contract.totalPulled());
  });
});
