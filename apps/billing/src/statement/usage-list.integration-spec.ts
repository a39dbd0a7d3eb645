import { createLogger } from '@svc/observability';
import { addWallet, startTestLedger, untilReadable } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { StatementDatabase } from './statement-database';
import { addUnserved, addUsage } from './statement.for-spec';
import { UsageListStore } from './usage-list.store';

const MANY = 3_000;
const FEW = 5;
const SERIES = { keys: 1, models: 1, stepSeconds: 60 };

let books: TestLedger;
let database: StatementDatabase;

beforeEach(async () => {
  books = await startTestLedger();
  database = new StatementDatabase(books.config, createLogger('test', 'silent'));
});
afterEach(async () => {
  await database.onApplicationShutdown();
  await books.close();
});

/** How many lines the database has read so far, in transactions that told it. */
async function linesRead(): Promise<number> {
  const [row] = await books.sql<{ read: number }>(
    `SELECT (t.seq_tup_read + (SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::float8 AS read
     FROM pg_stat_user_tables t WHERE relid = 'billing.usage_line'::regclass`,
  );
  return row?.read ?? NaN;
}

describe('the lines of what was served, and of what was not', () => {
  it.each(['served', 'unserved'] as const)('are found among many others: %s', async (outcome) => {
    const { wallet } = await addWallet(books, 0n);
    const rows = (wanted: typeof outcome) => (outcome === wanted ? FEW : MANY);
    // The few are the oldest.
    const from = (wanted: typeof outcome) => (outcome === wanted ? '2026-01-01' : '2026-01-02');
    await addUsage(books, { ...SERIES, wallet, rows: rows('served'), from: from('served'), providers: 1 });
    await addUnserved(books, { ...SERIES, wallet, rows: rows('unserved'), from: from('unserved') });
    await untilReadable(books);
    await books.sql('SELECT billing.project_statements(10000)');
    await books.sql('ANALYZE billing.usage_line, billing.usage_hour');

    const before = await linesRead();
    const lines = await database.prisma.$transaction(async (statement) => {
      const store = new UsageListStore({ prisma: statement } as unknown as StatementDatabase);
      const page = await store.page({ wallet, outcome }, undefined, 20);
      await statement.$queryRaw`SELECT 1 FROM pg_stat_force_next_flush()`;
      return page;
    });
    expect(lines).toHaveLength(FEW);
    expect((await linesRead()) - before).toBeLessThan(100);
  });
});
