import { createPrismaClient, Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { pagesRead } from '../database/rows-read.for-spec';
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

describe.each(['nothing', 'of all events'])('judging, when the planner was told %s,', (told) => {
  const EVENTS = 100_000;
  const SHORT = 100;
  const word = (number: string) => `'0x' || lpad(to_hex(${number}), 64, '0')`;
  /** SQL for the address of the `nth` wallet, and for the number of its batch. */
  const WALLET = `'0x' || lpad(to_hex(nth), 40, '0')`;
  const BATCH = '1 + nth / 200';
  const ALL = `generate_series(1, ${EVENTS}) AS nth`;
  const NEWEST = `generate_series(${EVENTS - SHORT + 1}, ${EVENTS}) AS nth`;
  let many: TestLedger;
  let prisma: PrismaClient;

  beforeAll(async () => {
    many = await startTestLedger();
    await many.database.keepUnanalysed();
    // One connection, so that what it read can be asked for at once.
    prisma = createPrismaClient(many.database.billingUrl, { maxConnections: 1 });
    await many.sql(`
      BEGIN;
      SET LOCAL session_replication_role = replica;
      INSERT INTO billing.wallet (wallet, limit_head, limit_safe, posted) SELECT ${WALLET}, 1000, 1000, 10 FROM ${NEWEST};
      INSERT INTO billing.short_wallet SELECT ${WALLET} FROM ${NEWEST};
      INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount, state, settled_block)
      SELECT DISTINCT ON (1) ${word(BATCH)}, ${word(BATCH)}, 200, 200, 2000, 'settled'::billing.chain_job_state, 10 * (${BATCH}) + 9
      FROM ${ALL};
      INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
      SELECT ${WALLET}, 1, ${word(BATCH)}, nth % 200, 0, 10, ${word('1')}, 10 FROM ${NEWEST};
      INSERT INTO billing.settlement_event (block_hash, log_index, block_number, tx_hash, kind, batch_id, wallet, amount)
      SELECT ${word(BATCH)}, nth % 200, 10 * (${BATCH}), ${word(BATCH)},
             CASE WHEN nth > ${EVENTS - SHORT} THEN 'pull_failed' ELSE 'pulled' END, ${word(BATCH)}, ${WALLET}, 10
      FROM ${ALL};
      COMMIT`);
    if (told !== 'nothing') await many.sql('ANALYZE');
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await many.close();
  });

  it('reads of each who did not pay the events of its batch alone', async () => {
    const [suspended, pages] = await pagesRead(prisma, () => new OutcomeStore(prisma).suspendUnpaid());
    expect(suspended).toHaveLength(SHORT);
    // Some 50 for each, its change included; the entries of all blocks up to one would be a hundred more.
    expect(pages).toBeLessThan(80 * SHORT);
  });
});
