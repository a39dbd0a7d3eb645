import { randomInt } from 'node:crypto';
import { FAILPOINTS } from '../failpoint';
import { FaultLoad } from './fault-load.for-spec';
import { FaultStack } from './fault-stack.for-spec';
import type { Payer } from './fault-stack.for-spec';
import { violations } from './invariants.for-spec';
import { untilQuiet } from './quiet.for-spec';
import { Random } from './random.for-spec';
import { report } from './report.for-spec';
import { Supervisor } from './supervisor.for-spec';

/** Overridable, so that a failing seed can be run again and a nightly run can do more. */
const CYCLES = Number(process.env.FAULT_CYCLES ?? 10);
const SEED = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31));

const PAYERS = 6;
const USDC = 1_000_000n;

/** How one life of billing ends: at a failpoint if it comes there in time, else at a moment. */
interface Death {
  readonly failpoint?: string;
  readonly afterMs: number;
  /** How long the load goes on after the restart. */
  readonly goesOnMs: number;
}

function deathFrom(random: Random): Death {
  const at = random.chance(0.6);
  const name = random.pick(FAILPOINTS);
  // The points on the way of every request are passed hundreds of times a second.
  const passes = random.chance(0.3) ? 1 : random.between(1, 60);
  return {
    ...(at ? { failpoint: `${name}@${passes}` } : {}),
    afterMs: random.between(150, at ? 2_500 : 1_000),
    goesOnMs: random.between(100, 400),
  };
}

describe('billing, killed again and again under load', () => {
  let stack: FaultStack;
  let billing: Supervisor;
  const payers: Payer[] = [];

  beforeAll(async () => {
    stack = await FaultStack.start();
    billing = new Supervisor(stack, 'billing');
    await billing.start();
    for (let account = 1; account <= PAYERS; account++) {
      payers.push(await stack.addPayer(account, account <= 2 ? USDC / 50n : 1_000n * USDC, 3));
    }
  }, 120_000);
  afterAll(async () => {
    await billing?.stop();
    await stack?.close();
  });

  async function cycle(name: string, random: Random): Promise<void> {
    const death = deathFrom(random);
    const next = deathFrom(random.fork());
    const deaths = billing.count;
    const load = FaultLoad.start(stack, payers, name, random);
    billing.arm(next.failpoint);
    if (!(await billing.diesWithin(deaths, death.afterMs))) await billing.kill();
    await billing.diesWithin(deaths, 5_000);
    await billing.standing();
    await billing.diesWithin(deaths + 1, death.goesOnMs);
    const book = await load.stop();
    await untilQuiet(stack);
    const broken = await violations(stack, book);
    if (broken.length > 0)
      throw new Error(`${name} (FAULT_SEED=${SEED}): ${JSON.stringify(broken, text, 1)}`);
  }

  it(
    `keeps every invariant over ${CYCLES} deaths (FAULT_SEED=${SEED})`,
    async () => {
      const random = new Random(SEED);
      for (let index = 0; index < CYCLES; index++) await cycle(`c${index}`, random.fork());
      const [sums] = await stack.sql<Record<string, string>>(SUMS);
      report('crash cycles', { seed: SEED, deaths: billing.deaths, ...sums });
    },
    30_000 + CYCLES * 60_000,
  );
});

/** What the load came to, so that a run that did nothing does not pass unseen. */
const SUMS = `
  SELECT count(*) FILTER (WHERE kind = 'hold') AS holds, count(*) FILTER (WHERE kind = 'post') AS posts,
         count(*) FILTER (WHERE kind = 'void') AS voids, count(*) FILTER (WHERE kind = 'expire') AS expiries,
         count(*) FILTER (WHERE kind = 'late_share') AS late, count(*) FILTER (WHERE kind = 'refund') AS refunds,
         count(*) FILTER (WHERE kind = 'credit') AS credits, count(*) FILTER (WHERE kind = 'settle') AS settled,
         (SELECT count(*) FROM billing.settlement_batch) AS batches
  FROM billing.transfer`;

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
