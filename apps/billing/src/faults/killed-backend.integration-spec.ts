import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startPostgres } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { MAX_BASE_UNITS } from '@svc/money';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import { applyMigrations, createPrismaClient, serviceRoles } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import { LedgerMetrics } from '../ledger/ledger.metrics';
import { admission, charge, newHoldId } from '../ledger/ledger.for-spec';
import type { TestWallet } from '../ledger/ledger.for-spec';
import { LedgerService } from '../ledger/ledger.service';
import type { Resolution, ResolutionResult } from '../ledger/operation';
import { FULL_CHECKS, INCREMENTAL_CHECKS } from '../reconciliation/ledger-checks';
import { ReconciliationStore } from '../reconciliation/reconciliation.store';
import { Random } from './random.for-spec';

const SEED = Number(process.env.FAULT_SEED ?? randomInt(2 ** 31));
const ROUNDS = 6;
const HOLDS = 300;
const WALLETS = 3;
const HELD = 10n;
const COST = 7;
/** Of a wallet: half of what it could be charged in all, so that later rounds have some refused. */
const LIMIT = BigInt((COST * ROUNDS * HOLDS) / WALLETS / 4);
/** Batches begin 2 ms after each other. Killed before the last of them, so that there is one to be tried again. */
const [SPREAD_MS, KILLED_WITHIN_MS] = [40, 30];

interface Hold {
  readonly holdId: string;
  readonly buyer: TestWallet;
}

let directory: string;
let server: LocalServer;
/** As the tables' owner. */
let owner: PrismaClient;
let ledgers: LedgerService[];
/** Batches of which it was not known whether they were committed. */
const triedAgain = { count: 0 };
const buyers: TestWallet[] = [];

/** As the process of an instance of billing has it. */
function newLedger(): LedgerService {
  const url = new URL(server.url);
  url.username = serviceRoles.billing;
  const config = Object.assign(new BillingConfig(), {
    databaseUrl: url.href,
    unsettledCap: String(MAX_BASE_UNITS),
  });
  const metrics = new LedgerMetrics(createMetricsRegistry('test'));
  jest.spyOn(metrics.failures, 'inc').mockImplementation(() => (triedAgain.count += 1));
  return new LedgerService(config, createLogger('test', 'silent'), metrics);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  const password = `t${randomBytes(12).toString('hex')}`;
  server = await startPostgres({
    dataDir: directory,
    port: await freePort(),
    superuserPassword: password,
  });
  await applyMigrations(server.url, { rolePasswords: { billing: password, catalog: password } });
  owner = createPrismaClient(server.url, { maxConnections: 2 });
  ledgers = [newLedger(), newLedger()];
  for (let count = 0; count < WALLETS; count++) {
    const buyer = {
      wallet: `0x${randomBytes(20).toString('hex')}`,
      keyHash: randomBytes(32).toString('hex'),
      keyId: `key_${count}`,
    };
    await owner.$executeRaw`
      INSERT INTO billing.wallet (wallet, limit_head, limit_safe) VALUES (${buyer.wallet}, ${LIMIT}, ${LIMIT})`;
    await owner.$queryRaw`
      SELECT 1 FROM billing.add_key(${buyer.wallet}, ${buyer.keyId}, ${buyer.keyHash}, 'abcd', 'test', NULL, NULL)`;
    buyers.push(buyer);
  }
});
afterAll(async () => {
  for (const ledger of ledgers) await ledger.beforeApplicationShutdown();
  await owner.$disconnect();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Kills one of the ledgers' sessions as the system does that has no memory left: the server ends all others, and recovers. */
async function killBackend(random: Random): Promise<void> {
  const sessions = await eventually(async () => {
    const rows = await owner.$queryRaw<{ pid: number }[]>`
      SELECT pid FROM pg_stat_activity WHERE application_name = 'billing-ledger'`;
    return rows.length === ledgers.length && rows;
  });
  await delay(random.between(0, KILLED_WITHIN_MS));
  const { pid } = random.pick(sessions);
  process.kill(pid, 'SIGKILL');
  // Before it has noticed, it answers others as if nothing were, and ends them then. It lists the one that is dead until it has recovered.
  await eventually(async () => {
    const rows = await owner.$queryRaw<unknown[]>`SELECT FROM pg_stat_activity WHERE pid = ${pid}`;
    return rows.length === 0;
  });
}

/** What the database has of these holds: how often each was admitted, resolved and charged. */
async function booked(holds: readonly Hold[]) {
  const rows = await eventually(
    () => owner.$queryRaw<
      { hold_id: string; admitted: number; resolved: number; posted: number; charged: number; open: number }[]
    >`
      SELECT h.hold_id,
             (count(*) FILTER (WHERE t.kind = 'hold'))::integer AS admitted,
             (count(*) FILTER (WHERE t.kind IN ('post', 'void', 'expire')))::integer AS resolved,
             (count(*) FILTER (WHERE t.kind = 'post'))::integer AS posted,
             coalesce(sum(t.amount) FILTER (WHERE t.kind IN ('share', 'fee')), 0)::integer AS charged,
             (SELECT count(*)::integer FROM billing.open_hold o WHERE o.hold_id = h.hold_id) AS open
      FROM unnest(${holds.map(({ holdId }) => holdId)}::text[]) AS h (hold_id)
      LEFT JOIN billing.transfer t ON t.reference = h.hold_id GROUP BY h.hold_id`,
  );
  return new Map(rows.map(({ hold_id: holdId, ...row }) => [holdId, row]));
}

it(`admissions, charges and releases of the same holds are booked once, though sessions are killed in their midst (FAULT_SEED=${SEED})`, async () => {
  const random = new Random(SEED);
  const [one, other] = ledgers as [LedgerService, LedgerService];
  let [held, refused, posted] = [0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const holds = Array.from({ length: HOLDS }, () => ({ holdId: newHoldId(), buyer: random.pick(buyers) }));
    const resolutionOf = ({ holdId, buyer: { wallet } }: Hold): Resolution =>
      random.chance(0.5)
        ? { type: 'post', wallet, holdId, charge: charge(COST) }
        : { type: random.chance(0.5) ? 'void' : 'abandon', wallet, holdId };
    const killed = killBackend(random.fork());
    const outcomes = await Promise.all(
      holds.map(async (hold) => {
        const resolution = resolutionOf(hold);
        const [admittedAt, resolvedAt] = [random.between(0, SPREAD_MS), random.between(0, SPREAD_MS)];
        // By another instance than its admission, and sometimes before that.
        const resolving = delay(resolvedAt).then(() => other.resolve(resolution));
        await delay(admittedAt);
        const admitted = await one.admit(admission(hold.buyer, HELD, hold.holdId));
        const resolved = await resolving;
        return { hold, resolution, admitted: admitted.outcome, resolved };
      }),
    );
    await killed;
    const known = await booked(holds);
    const left: Hold[] = [];
    for (const { hold, resolution, admitted, resolved } of outcomes) {
      const row = known.get(hold.holdId);
      const wasHeld = admitted === 'held' || admitted === 'resolved';
      expect([hold.holdId, row?.admitted]).toEqual([hold.holdId, wasHeld ? 1 : 0]);
      expect((row?.resolved ?? 0) + (row?.open ?? 0)).toBe(wasHeld ? 1 : 0);
      // A charge that was answered stands, and none stands that was not asked for.
      expect(row?.posted).toBe(isPosted(resolution, resolved) ? 1 : 0);
      expect(row?.charged).toBe(isPosted(resolution, resolved) ? COST : 0);
      held += wasHeld ? 1 : 0;
      refused += admitted === 'insufficient' ? 1 : 0;
      posted += row?.posted ?? 0;
      if (row?.open) left.push(hold);
    }
    // Their releases came before them.
    await Promise.all(
      left.map(({ holdId, buyer: { wallet } }) => one.resolve({ type: 'void', wallet, holdId })),
    );
  }
  const [sums] = await owner.$queryRaw<{ held: number; posted: number; open: number }[]>`
    SELECT sum(held)::integer AS held, sum(posted)::integer AS posted,
           (SELECT count(*)::integer FROM billing.open_hold) AS open FROM billing.wallet`;
  expect(sums).toEqual({ held: 0, posted: posted * COST, open: 0 });
  expect(Math.min(held - HOLDS, refused, triedAgain.count)).toBeGreaterThan(0);
  expect(held + refused).toBe(ROUNDS * HOLDS);
  const store = new ReconciliationStore(owner, 'killed-backend', owner, new Rests());
  for (const check of [...INCREMENTAL_CHECKS, ...FULL_CHECKS]) expect(await store.run(check)).toEqual([]);
}, 300_000);

function isPosted({ type }: Resolution, { state }: ResolutionResult): boolean {
  return type === 'post' && state === 'posted';
}
