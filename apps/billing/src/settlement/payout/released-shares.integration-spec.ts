import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../../database/rests';
import { rowsRead } from '../../database/rows-read.for-spec';
import { addLargeWallet } from '../../ledger/large-wallet.for-spec';
import type { Told } from '../../ledger/large-wallet.for-spec';
import { addWallet, startTestLedger } from '../../ledger/ledger.for-spec';
import type { TestLedger } from '../../ledger/ledger.for-spec';
import { FULL_CHECKS, INCREMENTAL_CHECKS } from '../../reconciliation/ledger-checks';
import type { LedgerCheck } from '../../reconciliation/ledger-checks';
import { ReconciliationStore } from '../../reconciliation/reconciliation.store';

const REQUESTS = 2_000;
/** Of each request that was not given back. */
const SHARE = 9;
const RELEASED = (REQUESTS / 2) * SHARE;
const BATCH_ID = `0x${'b'.repeat(64)}`;
/** Of a settlement whose rows are written here: they refer to a batch that no chain knows. */
const AS_WRITTEN = 'SET LOCAL session_replication_role = replica';

let books: TestLedger;
let prisma: PrismaClient;

async function start(): Promise<void> {
  books = await startTestLedger();
  // One connection, so that what it read can be asked for at once.
  prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
}

async function stop(): Promise<void> {
  await prisma.$disconnect();
  await books.close();
}

/** A wallet that has paid for all of its requests but those that were given back, in one batch. */
async function addPayer(told: Told): Promise<void> {
  const { wallet } = await addLargeWallet(books, told, REQUESTS);
  const owed = (REQUESTS / 2) * 10;
  await books.sql(`
    BEGIN; ${AS_WRITTEN};
    INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at, batch_id, leaf)
    SELECT wallet, hold_id, 'usage', cost, created_at, '${BATCH_ID}', sha256(hold_id::bytea) FROM billing.usage_record
    WHERE wallet = '${wallet}'
    UNION ALL
    SELECT wallet, credit_id, kind, -amount, created_at, '${BATCH_ID}', sha256(credit_id::bytea) FROM billing.credit
    WHERE wallet = '${wallet}';
    INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
    VALUES ('${wallet}', 1, '${BATCH_ID}', 0, 0, ${owed}, '${BATCH_ID}', ${owed});
    UPDATE billing.wallet SET posted = ${REQUESTS * 10}, credited = ${owed}, settled_head = ${owed}, settled_safe = ${owed}
    WHERE wallet = '${wallet}';
    COMMIT`);
}

function checkOf(checks: readonly LedgerCheck[], rule: string): LedgerCheck {
  const check = checks.find((each) => each.rule.startsWith(rule));
  if (!check) throw new Error('no such check');
  return check;
}

describe.each<Told>(['nothing', 'of small wallets'])(
  'shares of what payers have paid, when the planner was told %s',
  (told) => {
    beforeAll(async () => {
      await start();
      await addPayer(told);
    });
    afterAll(stop);

    it('are released to their provider', async () => {
      const [, read] = await rowsRead(
        prisma,
        () => prisma.$queryRaw`SELECT billing.release_shares('', 100) AS last`,
      );
      expect(await books.sql('SELECT provider, released FROM billing.provider_released')).toEqual([
        { provider: 'p', released: String(RELEASED) },
      ]);
      // Each receipt, its record, and what was given back; all of the wallet's for each of its receipts would be millions.
      expect(read).toBeLessThan(5 * REQUESTS);
    });

    it('are compared with what was released', async () => {
      const store = new ReconciliationStore(prisma, 'released-shares', prisma, new Rests());
      const check = checkOf(FULL_CHECKS, 'released to a provider');
      const [differences, read] = await rowsRead(prisma, () => store.run(check));
      expect(differences).toEqual([]);
      expect(read).toBeLessThan(15 * REQUESTS);
      await books.sql('UPDATE billing.provider_released SET released = 0');
      expect(await store.run(check)).toMatchObject([{ subject: 'p', actual: '0' }]);
    });
  },
);

describe('shares of one wallet among many', () => {
  const WALLETS = 1_000;
  const DUES = 100;

  beforeAll(start);
  afterAll(stop);

  it('are released due by due without reading the others, or all of its dues, for each', async () => {
    const { wallet } = await addWallet(books, 10n ** 9n);
    await books.sql(`
      BEGIN; ${AS_WRITTEN};
      INSERT INTO billing.wallet (wallet) SELECT '0x' || lpad(to_hex(nth), 40, '0') FROM generate_series(1, ${WALLETS}) AS nth;
      INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
      SELECT '${wallet}', nth, '0x' || lpad(to_hex(nth), 64, '0'), 0, (nth - 1) * 10, nth * 10, '${BATCH_ID}', 10
      FROM generate_series(1, ${DUES}) AS nth;
      UPDATE billing.wallet SET posted = ${DUES * 10}, settled_head = ${DUES * 10}, settled_safe = ${DUES * 10}
      WHERE wallet = '${wallet}';
      COMMIT`);
    const release = async () => {
      let beyond: string | null | undefined = '';
      let steps = 0;
      for (; typeof beyond === 'string'; steps += 1) {
        const rows: { last: string | null }[] =
          await prisma.$queryRaw`SELECT billing.release_shares(${beyond}, 1) AS last`;
        beyond = rows[0]?.last;
      }
      return steps;
    };
    const [steps, read] = await rowsRead(prisma, release);
    expect(steps).toBe(DUES + 1);
    expect(await books.sql('SELECT seq FROM billing.released_wallet')).toEqual([{ seq: DUES }]);
    expect(read).toBeLessThan(2 * WALLETS + 20 * DUES);
    // And taken back likewise, after a reorganisation.
    await books.sql('UPDATE billing.wallet SET settled_safe = 0');
    const [, readBack] = await rowsRead(prisma, release);
    expect(await books.sql('SELECT seq FROM billing.released_wallet')).toEqual([{ seq: 0 }]);
    expect(readBack).toBeLessThan(2 * WALLETS + 20 * DUES);
  });
});

describe('dues of the newest batches', () => {
  beforeAll(start);
  afterAll(stop);

  it('are compared with their receipts without reading those of all batches', async () => {
    const { wallet } = await addWallet(books, 10n ** 9n);
    await books.sql(`
      BEGIN; ${AS_WRITTEN};
      INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at, batch_id, leaf)
      SELECT '${wallet}', 'req_' || nth, 'usage', 10, now(), '0x' || lpad(to_hex(nth / 10), 64, '0'), sha256(nth::text::bytea)
      FROM generate_series(0, ${REQUESTS} - 1) AS nth;
      INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount, state, created_at)
      SELECT '0x' || lpad(to_hex(nth), 64, '0'), '${BATCH_ID}', 1, 10, 100, 'settled', now() + nth * interval '1 second'
      FROM generate_series(0, ${REQUESTS / 10} - 1) AS nth;
      INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
      SELECT '${wallet}', nth + 1, '0x' || lpad(to_hex(nth), 64, '0'), 0, nth * 100, (nth + 1) * 100, '${BATCH_ID}', 10
      FROM generate_series(0, ${REQUESTS / 10} - 1) AS nth;
      COMMIT`);
    const store = new ReconciliationStore(prisma, 'dues', prisma, new Rests());
    const check = checkOf(INCREMENTAL_CHECKS, 'what a due adds');
    const [differences, read] = await rowsRead(prisma, () => store.run(check));
    expect(differences).toEqual([]);
    expect(read).toBeLessThan(500);
    const last = `0x${(REQUESTS / 10 - 1).toString(16).padStart(64, '0')}`;
    await books.sql(`
      BEGIN; ${AS_WRITTEN}; UPDATE billing.receipt SET amount = 11 WHERE receipt_id = 'req_${REQUESTS - 1}'; COMMIT`);
    expect(await store.run(check)).toEqual([
      { rule: check.rule, subject: `${last} ${wallet}`, expected: '100', actual: '101' },
    ]);
  });
});
