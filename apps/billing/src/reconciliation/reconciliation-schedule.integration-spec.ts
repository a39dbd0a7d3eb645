import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@svc/observability';
import { createPrismaClient, Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { Rests } from '../database/rests';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { DueComparison } from './due-comparison';
import { FullComparisonTurn } from './full-comparison-turn';
import { ReconciliationSchedule } from './reconciliation-schedule';
import type { ReconciliationService } from './reconciliation.service';
import { ReconciliationStore } from './reconciliation.store';
import type { ReconciliationKind } from './reconciliation.store';

/** As long as the slowest comparison. */
const SLOW = {
  rule: 'slow',
  sql: Prisma.sql`SELECT NULL AS subject, NULL AS expected, NULL AS actual FROM pg_sleep(1800)`,
};
/** None of them is to be over by itself while a spec looks. */
const PATIENT = { statementTimeoutMs: 120_000 };

let test: TestLedger;
const clients: PrismaClient[] = [];
beforeAll(async () => {
  test = await startTestLedger();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.$disconnect()));
});
afterAll(() => test.close());

/** A replica's schedule. Its full comparisons are one slow statement; the others find nothing. */
function replica(name: string) {
  const { databaseUrl } = test.config;
  const prisma = createPrismaClient(databaseUrl, { ...PATIENT, applicationName: name, maxConnections: 2 });
  const others = createPrismaClient(databaseUrl);
  clients.push(prisma, others);
  const rests = new Rests();
  const store = new ReconciliationStore(prisma, name, others, rests);
  const service = {
    reconcile: async (kind: ReconciliationKind) => {
      if (kind === 'full') await store.run(SLOW);
      await store.finished(kind, 0);
    },
    found: () => undefined,
    awaited: () => undefined,
  };
  return new ReconciliationSchedule(
    Object.assign(Object.create(test.config) as typeof test.config, { reconciliationIntervalMs: 20 }),
    createLogger('test', 'silent'),
    store,
    new DueComparison(
      store,
      service as unknown as ReconciliationService,
      new FullComparisonTurn(test.config),
    ),
    rests,
  );
}

const slowOnes = () =>
  test.sql<{ name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity
     WHERE query LIKE '%pg_sleep(1800)%' AND state = 'active' AND pid <> pg_backend_pid() ORDER BY 1`,
  );

describe('a full comparison', () => {
  it('is cut short when the process ends, its own only, and is not done', async () => {
    const bystander = createPrismaClient(test.config.databaseUrl, {
      ...PATIENT,
      applicationName: 'bystander',
    });
    clients.push(bystander);
    const asleep = bystander.$queryRaw(SLOW.sql).catch(() => undefined);
    const ending = replica('ending');
    ending.onApplicationBootstrap();
    await eventually(async () => (await slowOnes()).length === 2);
    await ending.onModuleDestroy();
    // The database tells of the cut before it counts the statement as over.
    await eventually(async () => (await slowOnes()).length < 2);
    expect(await slowOnes()).toEqual([{ name: 'bystander' }]);
    await test.sql(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'bystander'`,
    );
    await asleep;
    expect(await test.sql(`SELECT kind FROM billing.reconciliation WHERE kind = 'full'`)).toEqual([]);
  });

  it('is made by one instance at a time, and by the next when that one ends', async () => {
    const first = replica('first');
    const second = replica('second');
    first.onApplicationBootstrap();
    await eventually(async () => (await slowOnes()).length === 1);
    second.onApplicationBootstrap();
    await delay(500);
    expect(await slowOnes()).toEqual([{ name: 'first' }]);
    await first.onModuleDestroy();
    await eventually(async () => (await slowOnes())[0]?.name === 'second');
    await second.onModuleDestroy();
  });
});
