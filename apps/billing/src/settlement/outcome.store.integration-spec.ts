import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { OutcomeStore } from './outcome.store';

let books: TestLedger;
let plans: string[];

beforeAll(async () => {
  books = await startTestLedger();
  await books.sql(`
    INSERT INTO billing.wallet (wallet, limit_head, limit_safe, posted)
    SELECT '0x' || lpad(to_hex(n), 40, '0'), 1000, 1000, 10 FROM generate_series(1, 20000) n`);
  await books.sql('UPDATE billing.wallet SET pull_failed_at = now() WHERE wallet < $1', [
    `0x${'0'.repeat(38)}10`,
  ]);
  await books.sql('INSERT INTO billing.short_wallet SELECT wallet FROM billing.wallet LIMIT 20');
  await books.sql('ANALYZE billing.wallet, billing.short_wallet');
});
afterAll(() => books.close());

/** Asks how a statement would be run instead of running it. */
const explained = {
  $queryRaw: async (strings: TemplateStringsArray, ...values: unknown[]): Promise<unknown[]> => {
    const { text, values: parameters } = Prisma.sql(strings, ...values);
    const lines = await books.sql<Record<string, string>>(`EXPLAIN ${text}`, parameters);
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
    return [];
  },
} as unknown as PrismaClient;

describe('judging', () => {
  it.each(['suspendUnpaid', 'liftPaid'] as const)(
    'looks at nobody who owes nothing of a settled due: %s',
    async (step) => {
      plans = [];
      await new OutcomeStore(explained)[step]();
      expect(plans).toHaveLength(1);
      expect(plans[0]).toContain('short_wallet');
      expect(plans[0]).not.toMatch(/Seq Scan on wallet/);
    },
  );
});
