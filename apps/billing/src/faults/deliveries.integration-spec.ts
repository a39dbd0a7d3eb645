import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SETTLEMENT_QUEUE, billingContracts } from '@svc/contracts';
import type { SettleHoldRequest, SettledHold } from '@svc/contracts';
import { DurablePublisher } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import { eventually } from '@svc/testing';
import { newHoldId, usageOf } from '../ledger/ledger.for-spec';
import type { BillingProcess } from './billing-process.for-spec';
import { FaultStack, LEASE_MS, SWEEP_MS } from './fault-stack.for-spec';
import type { Payer, PayerKey } from './fault-stack.for-spec';
import { expectNoViolations } from './invariants.for-spec';
import { untilQuiet } from './quiet.for-spec';
import { Random } from './random.for-spec';

const SEED = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31));
const USDC = 1_000_000n;
const LONG_MS = 3_600_000;

let stack: FaultStack;
let billing: BillingProcess;
let payer: Payer;
let queue: DurablePublisher;
const random = new Random(SEED);

beforeAll(async () => {
  stack = await FaultStack.start();
  billing = await stack.startSafely();
  payer = await stack.addPayer(1, 1_000n * USDC, 1);
  queue = new DurablePublisher(stack.dispatch.messaging, createLogger('test', 'silent'));
});
afterAll(() => stack?.close());

interface Hold {
  holdId: string;
  wallet: string;
  cost: number;
}

async function admit(amount = 100, key: PayerKey | undefined = payer.keys[0]): Promise<Hold> {
  const holdId = newHoldId();
  const request = {
    requestId: holdId,
    keyHash: key?.keyHash ?? '',
    model: 'svc/demo@1',
    amount: String(amount),
  };
  const { wallet } = await stack.gateway.call(billingContracts.admitHold, request);
  return { holdId, wallet, cost: random.between(1, amount) };
}

const admitMany = (count: number) => Promise.all(Array.from({ length: count }, () => admit()));

function settlementOf(
  { holdId, wallet, cost }: Hold,
  outcome: SettleHoldRequest['outcome'],
): SettleHoldRequest {
  return outcome === 'post' ? { holdId, wallet, outcome, usage: usageOf(cost) } : { holdId, wallet, outcome };
}

const settle = (hold: Hold, outcome: SettleHoldRequest['outcome'] = 'post') =>
  stack.dispatch.call(billingContracts.settleHold, settlementOf(hold, outcome));

const defer = (hold: Hold, outcome: SettleHoldRequest['outcome'], copy: number) =>
  queue.publish(
    SETTLEMENT_QUEUE.deferSubject,
    `${hold.holdId}:${outcome}:${copy}`,
    settlementOf(hold, outcome),
  );

async function renew(holds: readonly Hold[]): Promise<number> {
  const references = holds.map(({ wallet, holdId }) => ({ wallet, holdId }));
  const { renewed } = await stack.dispatch.call(billingContracts.renewHolds, { holds: references });
  return renewed;
}

interface Standing {
  holdId: string;
  kinds: string[];
  charged: number;
  lost: number;
}

/** What the ledger says about them. */
async function standings(holds: readonly Hold[]): Promise<Map<string, Standing>> {
  const rows = await stack.sql<Standing>(
    `SELECT reference AS "holdId", array_agg(kind::text ORDER BY leg) AS kinds,
       coalesce(sum(CASE WHEN kind IN ('share', 'fee') THEN amount WHEN kind = 'refund' THEN -amount END), 0)::float8 AS charged,
       coalesce(sum(amount) FILTER (WHERE debit_account = 'platform_loss'), 0)::float8 AS lost
     FROM billing.transfer WHERE reference = ANY ($1) GROUP BY wallet, reference`,
    [holds.map(({ holdId }) => holdId)],
  );
  return new Map(rows.map((row) => [row.holdId, row]));
}

/**
 * The leases that are given or renewed meanwhile last for an hour: none lapses because the machine is slower than a lease is long, and
 * the spec says when they do.
 */
async function withLongLeases<Result>(work: () => Promise<Result>): Promise<Result> {
  await stack.sql(`
    CREATE FUNCTION watch.lengthen_lease() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.lease_until := now() + interval '1 hour';
      RETURN NEW;
    END
    $$;
    CREATE TRIGGER lengthen_lease BEFORE INSERT OR UPDATE OF lease_until ON billing.open_hold
      FOR EACH ROW WHEN (NEW.lease_until > now()) EXECUTE FUNCTION watch.lengthen_lease()`);
  try {
    return await work();
  } finally {
    await stack.sql('DROP FUNCTION watch.lengthen_lease() CASCADE');
  }
}

const admitManyForLong = (count: number) => withLongLeases(() => admitMany(count));

const lapse = (holds: readonly Hold[]) =>
  stack.sql(
    `UPDATE billing.open_hold SET lease_until = now() - interval '1 second' WHERE hold_id = ANY ($1)`,
    [holds.map(({ holdId }) => holdId)],
  );

const openHolds = async () => (await stack.sql('SELECT 1 FROM billing.open_hold')).length;
const nothingOpen = () => eventually(async () => (await openHolds()) === 0);

async function allRight(): Promise<void> {
  await untilQuiet(stack);
  await expectNoViolations(stack, new Map(), `FAULT_SEED=${SEED}`);
}

describe('deliveries of the queue', () => {
  it(`apply once, whatever comes how often and in whatever order (FAULT_SEED=${SEED})`, async () => {
    const holds = await admitManyForLong(120);
    const sent = new Map<string, Set<SettleHoldRequest['outcome']>>();
    const messages = holds.flatMap((hold) => {
      const outcomes = new Set(
        Array.from({ length: random.between(1, 3) }, () =>
          random.pick(['post', 'post', 'void', 'abandon'] as const),
        ),
      );
      sent.set(hold.holdId, outcomes);
      return [...outcomes].flatMap((outcome) =>
        Array.from({ length: random.between(1, 3) }, (_, copy) => ({
          hold,
          outcome,
          copy,
          order: random.next(),
        })),
      );
    });
    messages.sort((a, b) => a.order - b.order);
    await Promise.all(messages.map(({ hold, outcome, copy }) => defer(hold, outcome, copy)));
    await allRight();
    const ledger = await standings(holds);
    for (const { holdId, cost } of holds) {
      const outcomes = sent.get(holdId) ?? new Set();
      const { kinds = [], charged, lost } = ledger.get(holdId) ?? {};
      const posted = kinds.includes('post');
      // An abandon undoes every post; a void only one that comes later.
      if (outcomes.has('abandon')) expect(charged).toBe(0);
      else if (!outcomes.has('void')) expect([posted, charged]).toEqual([true, cost]);
      else expect(charged).toBe(posted ? cost : 0);
      // Who serves is paid, by the payer or by the platform.
      if (outcomes.has('post') && (!posted || outcomes.has('abandon'))) expect(lost).toBe(cost);
    }
  });

  it('that waited for longer than the leases are in time, as long as nobody expired the holds', async () => {
    const holds = await admitManyForLong(60);
    await billing.kill();
    await Promise.all(holds.map((hold) => defer(hold, 'post', 0)));
    await lapse(holds);
    billing = await stack.startSafely();
    await allRight();
    const ledger = await standings(holds);
    for (const { holdId, cost } of holds)
      expect(ledger.get(holdId)).toMatchObject({ charged: cost, lost: 0 });
  });

  /**
   * Has it die with the settlements of these holds in its socket; the queue waits for its acknowledgement until the spec says otherwise.
   * @returns false where it lives on: what it had asked the queue for ran out meanwhile, and standing still it asks for no more
   */
  async function diesWith(holds: readonly Hold[]): Promise<boolean> {
    await stack.hurryQueue(LONG_MS);
    billing.signal('SIGSTOP');
    await Promise.all(holds.map((hold) => defer(hold, 'post', 0)));
    const { unacknowledged } = await eventually(async () => {
      const queue = await stack.consumer();
      return (queue.unacknowledged === holds.length || queue.pulls === 0) && queue;
    });
    if (unacknowledged === holds.length) {
      await billing.kill();
      return true;
    }
    billing.signal('SIGCONT');
    await untilQuiet(stack);
    return false;
  }

  it('that a dead process had taken are in time as well: nothing is expired before they come again', async () => {
    let holds = await admitManyForLong(60);
    while (!(await diesWith(holds))) holds = await admitManyForLong(60);
    await lapse(holds);
    billing = await stack.startSafely('billing', { hurry: false });
    // Each start sets the time in earnest.
    await stack.hurryQueue(LONG_MS);
    // Past its grace, and several sweeps.
    await delay(LEASE_MS + 4 * SWEEP_MS);
    expect(await openHolds()).toBe(holds.length);
    await stack.hurryQueue();
    await allRight();
    const ledger = await standings(holds);
    for (const { holdId, cost } of holds)
      expect(ledger.get(holdId)).toMatchObject({ charged: cost, lost: 0 });
  });

  it('that wait for NATS are in time as well: nothing is expired while it is away', async () => {
    // Once one has expired, the grace after the start is over.
    await admit();
    await nothingOpen();
    const holds = await admitManyForLong(60);
    await stack.nats.stop();
    // A sweep that is on its way when it hears of that would find them.
    await eventually(async () => (await fetch(`${billing.url}/health/ready`)).status === 503);
    await lapse(holds);
    const queued = Promise.all(holds.map((hold) => defer(hold, 'post', 0)));
    // Several sweeps, over a database that is up.
    await delay(LEASE_MS + 4 * SWEEP_MS);
    expect(await openHolds()).toBe(holds.length);
    // Dispatch would renew them at once; its charges are sent again within seconds.
    await stack.sql(`UPDATE billing.open_hold SET lease_until = now() + interval '1 hour'`);
    await stack.nats.startAgain();
    await queued;
    await allRight();
    const ledger = await standings(holds);
    for (const { holdId, cost } of holds) {
      expect(ledger.get(holdId)).toMatchObject({ charged: cost, lost: 0 });
      expect(ledger.get(holdId)?.kinds).not.toContain('expire');
    }
  });

  it("that come after the expiry are the platform's loss, once", async () => {
    // Once one has expired, the grace after the start is over.
    await admit();
    await nothingOpen();
    const holds = await admitMany(30);
    await nothingOpen();
    const [expired] = await stack.sql<{ ms: number }>(
      `SELECT min(extract(epoch FROM e.created_at - h.created_at) * 1000)::float8 AS ms
       FROM billing.transfer e JOIN billing.transfer h ON h.wallet = e.wallet AND h.reference = e.reference AND h.leg = 0
       WHERE e.kind = 'expire' AND e.reference = ANY ($1)`,
      [holds.map(({ holdId }) => holdId)],
    );
    // How soon after that is shown with the sweeper itself: here the machine may stand still.
    expect(expired?.ms).toBeGreaterThanOrEqual(LEASE_MS);
    await Promise.all(holds.flatMap((hold) => [0, 1, 2].map((copy) => defer(hold, 'post', copy))));
    await allRight();
    const ledger = await standings(holds);
    for (const { holdId, cost } of holds) {
      expect(ledger.get(holdId)).toMatchObject({ charged: 0, lost: cost });
      expect(ledger.get(holdId)?.kinds).toContain('expire');
    }
  });
});

describe('the sweeper and a post', () => {
  it(`race, and exactly one of them wins (FAULT_SEED=${SEED})`, async () => {
    const won = { post: 0, sweeper: 0 };
    for (let round = 0; round < 10 && Math.min(won.post, won.sweeper) < 20; round++) {
      const holds = await admitMany(80);
      // Leases lapse now and in the course of the next sweeps, and posts come meanwhile.
      await stack.sql(
        `UPDATE billing.open_hold SET lease_until = clock_timestamp() + random() * $2 * interval '1 millisecond'
         WHERE hold_id = ANY ($1)`,
        [holds.map(({ holdId }) => holdId), 3 * SWEEP_MS],
      );
      const waits = holds.map(() => random.between(0, 4 * SWEEP_MS));
      const answers = await Promise.all(
        holds.map(async (hold, index) => {
          await delay(waits[index]);
          return settle(hold);
        }),
      );
      const ledger = await standings(holds);
      holds.forEach((hold, index) => expectOneWinner(hold, answers[index], ledger.get(hold.holdId)));
      won.post += answers.filter(({ state }) => state === 'posted').length;
      won.sweeper += answers.filter(({ state }) => state === 'late').length;
    }
    await allRight();
    expect(Math.min(won.post, won.sweeper)).toBeGreaterThan(0);
  });

  function expectOneWinner(
    { cost }: Hold,
    answer: SettledHold | undefined,
    standing: Standing | undefined,
  ): void {
    const posted = answer?.state === 'posted';
    expect(answer).toEqual(
      posted ? { state: 'posted', charged: String(cost) } : { state: 'late', charged: '0' },
    );
    expect(standing).toMatchObject(posted ? { charged: cost, lost: 0 } : { charged: 0, lost: cost });
    const resolutions = standing?.kinds.filter((kind) => ['post', 'void', 'expire'].includes(kind));
    expect(resolutions).toEqual([posted ? 'post' : 'expire']);
  }
});

describe('clocks', () => {
  it('ahead: what lapsed before anybody could renew it costs the platform, never the payer', async () => {
    const holds = await admitMany(20);
    await lapse(holds);
    await nothingOpen();
    expect(await renew(holds)).toBe(0);
    for (const hold of holds) expect(await settle(hold)).toEqual({ state: 'late', charged: '0' });
    await allRight();
  });

  it('back: leases that seem to have an hour left are kept, brought back by a renewal, and charged', async () => {
    const holds = await admitManyForLong(20);
    const [renewed, rest] = [holds.slice(0, 10), holds.slice(10)];
    expect(await renew(renewed)).toBe(10);
    // Silence expires those again, and only those.
    await eventually(async () => (await openHolds()) === rest.length);
    for (const hold of renewed) expect(await settle(hold)).toMatchObject({ state: 'late' });
    for (const hold of rest)
      expect(await settle(hold)).toEqual({ state: 'posted', charged: String(hold.cost) });
    await allRight();
  });

  it("back by months: a budget's period does not begin again", async () => {
    const key = await stack.addKey(payer.wallet, 100n);
    const { wallet, keyId } = key;
    await stack.setup.call(billingContracts.updateKey, { wallet, keyId, budgetReset: 'daily' });
    const spend = (amount: number) =>
      withLongLeases(async () => settle({ ...(await admit(amount, key)), cost: amount }));
    expect(await spend(80)).toMatchObject({ state: 'posted' });
    await stack.sql(
      `UPDATE billing.key_budget SET period_start = period_start + interval '60 days' WHERE key_id = $1`,
      [key.keyId],
    );
    await expect(admit(21, key)).rejects.toMatchObject({ payload: { code: 'insufficient_quota' } });
    expect(await spend(20)).toMatchObject({ state: 'posted' });
    // And forth again, to the day after: should midnight fall into this, that is the day which begins.
    await stack.sql(
      `UPDATE billing.key_budget SET period_start = period_start - interval '59 days' WHERE key_id = $1`,
      [key.keyId],
    );
    await expect(admit(1, key)).rejects.toMatchObject({ payload: { code: 'insufficient_quota' } });
    await allRight();
  });
});

describe('a process that stood still', () => {
  it('for longer than a lease expires nothing before dispatch had time to renew', async () => {
    await withLongLeases(async () => {
      let rounds = 0;
      while (rounds < 4) if (await survivesAStandstill()) rounds++;
    });
    await allRight();
  });

  /** @returns whether it shows anything: not, where the renewal comes late because others stood still as well */
  async function survivesAStandstill(): Promise<boolean> {
    const holds = await admitMany(10);
    // Anywhere between two sweeps.
    await delay(random.between(0, SWEEP_MS));
    billing.signal('SIGSTOP');
    await lapse(holds);
    await delay(LEASE_MS);
    const wokenMs = performance.now();
    billing.signal('SIGCONT');
    // Dispatch renews when it is its time, after two sweeps and more.
    await delay(LEASE_MS / 2 + random.between(0, SWEEP_MS / 2));
    const renewed = await renew(holds);
    if (performance.now() - wokenMs > LEASE_MS) {
      await Promise.all(holds.map((hold) => settle(hold, 'void')));
      return false;
    }
    expect(renewed).toBe(holds.length);
    for (const hold of holds)
      expect(await settle(hold)).toEqual({ state: 'posted', charged: String(hold.cost) });
    return true;
  }
});
