import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../../database/rests';
import { addWallet, startTestLedger } from '../../ledger/ledger.for-spec';
import type { TestLedger } from '../../ledger/ledger.for-spec';
import { FULL_CHECKS } from '../../reconciliation/ledger-checks';
import { ReconciliationStore } from '../../reconciliation/reconciliation.store';

const REQUESTS = 2_000;
const SHARE = 9;
const BATCH_ID = `0x${'b'.repeat(64)}`;
/** Of a settlement whose rows are written here: they refer to a batch that no chain knows. */
const AS_WRITTEN = 'SET LOCAL session_replication_role = replica';

let books: TestLedger;
let prisma: PrismaClient;

beforeAll(async () => {
  books = await startTestLedger();
  // One connection, so that what it read can be asked for at once.
  prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
  await addPayer();
});
afterAll(async () => {
  await prisma.$disconnect();
  await books.close();
});

/** A wallet that has paid for all of its requests, in one batch, in tables that nobody analyses. */
async function addPayer(): Promise<void> {
  const { wallet, keyId } = await addWallet(books, 10n ** 9n);
  const owed = REQUESTS * 10;
  await books.sql(`
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'billing' LOOP
        EXECUTE format('ALTER TABLE billing.%I SET (autovacuum_enabled = false)', name);
      END LOOP;
    END $$;
    BEGIN; ${AS_WRITTEN};
    INSERT INTO billing.usage_record
      (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
       completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late)
    SELECT '${wallet}', 'req_' || nth, '${keyId}', 'svc/demo@1', 'o', 'p', 0, 1000000, 0, 10, 'provider', 1, 'stop', 10, 10, ${SHARE}, 0, false
    FROM generate_series(1, ${REQUESTS}) AS nth;
    INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at, batch_id, leaf)
    SELECT '${wallet}', 'req_' || nth, 'usage', 10, now(), '${BATCH_ID}', sha256(nth::text::bytea) FROM generate_series(1, ${REQUESTS}) AS nth;
    INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
    VALUES ('${wallet}', 1, '${BATCH_ID}', 0, 0, ${owed}, '${BATCH_ID}', ${owed});
    UPDATE billing.wallet SET posted = ${owed}, settled_head = ${owed}, settled_safe = ${owed} WHERE wallet = '${wallet}';
    COMMIT`);
}

/** What `work` comes to; it may read each usage record twice, where all of the wallet's for each of its receipts would be millions. */
async function readingOnce<Result>(work: () => Promise<Result>): Promise<Result> {
  const readSoFar = async () => {
    await prisma.$queryRaw`SELECT 1 FROM pg_stat_force_next_flush()`;
    const [row] = await prisma.$queryRaw<{ read: number }[]>`
      SELECT (seq_tup_read + (SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::float8 AS read
      FROM pg_stat_user_tables t WHERE relid = 'billing.usage_record'::regclass`;
    return row?.read ?? NaN;
  };
  const before = await readSoFar();
  const result = await work();
  expect((await readSoFar()) - before).toBeLessThan(3 * REQUESTS);
  return result;
}

describe('shares of what payers have paid', () => {
  it('are released to their provider', async () => {
    await readingOnce(() => prisma.$queryRaw`SELECT billing.release_shares('', 100) AS last`);
    expect(await books.sql('SELECT provider, released FROM billing.provider_released')).toEqual([
      { provider: 'p', released: String(REQUESTS * SHARE) },
    ]);
  });

  it('are compared with what was released', async () => {
    const store = new ReconciliationStore(prisma, 'released-shares', prisma, new Rests());
    const check = FULL_CHECKS.find(({ rule }) => rule.startsWith('released to a provider'));
    if (!check) throw new Error('no such check');
    expect(await readingOnce(() => store.run(check))).toEqual([]);
    await books.sql('UPDATE billing.provider_released SET released = released + 1');
    expect(await store.run(check)).toEqual([
      {
        rule: check.rule,
        subject: 'p',
        expected: `${REQUESTS * SHARE} and at most 0 more`,
        actual: `${REQUESTS * SHARE + 1}`,
      },
    ]);
  });
});
