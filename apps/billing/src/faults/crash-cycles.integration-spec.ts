import { randomInt } from 'node:crypto';
import { FAILPOINTS } from '../failpoint';
import type { Failpoint } from '../failpoint';
import { FaultLoad } from './fault-load.for-spec';
import { FaultStack } from './fault-stack.for-spec';
import type { Payer } from './fault-stack.for-spec';
import { expectNoViolations } from './invariants.for-spec';
import { untilCollected, untilQuiet } from './quiet.for-spec';
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

/**
 * How likely each is taken, and how often it is passed at most before it counts: some are passed a hundred times a second,
 * some only when something else has gone wrong.
 */
const POINTS: Record<Failpoint, [weight: number, passes: number]> = {
  'ledger.sent': [4, 60],
  'ledger.committed': [4, 60],
  'queue.applied': [4, 6],
  'sweeper.found': [2, 1],
  'sweeper.expired': [2, 1],
  'chain.recorded': [2, 8],
  'settlement.projected': [1, 2],
  'settlement.leased': [1, 4],
  'settlement.stored': [3, 1],
  'settlement.broadcast': [3, 1],
  'settlement.bumped': [1, 1],
  'settlement.resigned': [0.5, 1],
  'settlement.settled': [3, 1],
  'settlement.judged': [2, 1],
  'payout.stored': [2, 1],
  'payout.booked': [2, 1],
  // Comes only when the books differ.
  'reconciliation.paused': [0, 1],
};
const REACHABLE = FAILPOINTS.filter((name) => POINTS[name][0] > 0);
const WEIGHTS = Object.fromEntries(REACHABLE.map((name) => [name, POINTS[name][0]]));
/** With cycles enough every point gets its turn, and more time to be reached. */
const IN_TURN = CYCLES >= 2 * REACHABLE.length;

function deathFrom(random: Random, index: number): Death {
  const drawn = random.weighted(WEIGHTS) as Failpoint;
  const name = (IN_TURN ? REACHABLE[index % REACHABLE.length] : undefined) ?? drawn;
  const passes = random.between(1, POINTS[name][1]);
  const armed = random.chance(IN_TURN ? 0.9 : 0.75);
  return {
    ...(armed ? { failpoint: `${name}@${passes}` } : {}),
    afterMs: random.between(armed && IN_TURN ? 2_000 : 100, armed ? (IN_TURN ? 5_000 : 1_500) : 700),
    goesOnMs: random.between(50, 400),
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
  });
  afterAll(async () => {
    await billing?.stop();
    await stack?.close();
  });

  /** @param following what the life after this one is armed with: it has to be known before that begins */
  async function cycle(index: number, random: Random, [death, following]: [Death, Death]): Promise<void> {
    const name = `c${index}`;
    const deaths = billing.count;
    const load = FaultLoad.start(stack, payers, name, random);
    billing.arm(following.failpoint);
    if (!(await billing.diesWithin(deaths, death.afterMs))) await billing.kill();
    await billing.diesWithin(deaths, 5_000);
    await billing.standing();
    await billing.diesWithin(deaths + 1, death.goesOnMs);
    const book = await load.stop();
    await untilQuiet(stack);
    await expectNoViolations(stack, book, `${name}, FAULT_SEED=${SEED}`);
  }

  it(
    `keeps every invariant over ${CYCLES} deaths (FAULT_SEED=${SEED})`,
    async () => {
      const startedMs = performance.now();
      const random = new Random(SEED);
      let death = deathFrom(random.fork(), 0);
      for (let index = 0; index < CYCLES; index++) {
        const following = deathFrom(random.fork(), index + 1);
        await cycle(index, random.fork(), [death, following]);
        death = following;
      }
      await untilCollected(stack, payers);
      await expectNoViolations(stack, new Map(), `at the end, FAULT_SEED=${SEED}`);
      const [sums] = await stack.sql<Record<string, string>>(SUMS);
      const seconds = Math.round((performance.now() - startedMs) / 1_000);
      report('crash cycles', { seed: SEED, cycles: CYCLES, seconds, deaths: billing.deaths, ...sums });
    },
    // Ends what hangs: a cycle takes some seconds.
    120_000 + CYCLES * 180_000,
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
