import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { Client } from 'pg';
import { Rests } from '../../database/rests';
import { pagesRead, rowsRead } from '../../database/rows-read.for-spec';
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

/**
 * A wallet that has paid for all of its requests but those that were given back, in one batch. One of the others has a credit under its id,
 * which gives nothing of it back.
 */
async function addPayer(told: Told, position = 0): Promise<string> {
  const { wallet } = await addLargeWallet(books, told, REQUESTS);
  const owed = (REQUESTS / 2) * 10;
  await books.sql(`
    BEGIN; ${AS_WRITTEN};
    INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at, batch_id, leaf)
    SELECT wallet, hold_id, 'usage', cost, created_at, '${BATCH_ID}', sha256((wallet || hold_id)::bytea) FROM billing.usage_record
    WHERE wallet = '${wallet}'
    UNION ALL
    SELECT wallet, credit_id, kind, -amount, created_at, '${BATCH_ID}', sha256((wallet || credit_id)::bytea) FROM billing.credit
    WHERE wallet = '${wallet}';
    INSERT INTO billing.credit (wallet, credit_id, kind, amount, reason, actor)
    SELECT wallet, hold_id, 'credit', 1, 'goodwill', 'support' FROM billing.usage_record
    WHERE wallet = '${wallet}' AND hold_id NOT IN (SELECT credit_id FROM billing.credit) LIMIT 1;
    INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
    VALUES ('${wallet}', 1, '${BATCH_ID}', ${position}, 0, ${owed}, '${BATCH_ID}', ${owed});
    UPDATE billing.wallet SET posted = ${REQUESTS * 10}, credited = ${owed}, settled_head = ${owed}, settled_safe = ${owed}
    WHERE wallet = '${wallet}';
    COMMIT`);
  return wallet;
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
    // A step looks at 40 wallets for each due that it is asked for.
    expect(steps).toBe(WALLETS / 40 + DUES + 1);
    expect(await books.sql('SELECT seq FROM billing.released_wallet')).toEqual([{ seq: DUES }]);
    expect(read).toBeLessThan(2 * WALLETS + 20 * DUES);
    // And taken back likewise, after a reorganisation.
    await books.sql('UPDATE billing.wallet SET settled_safe = 0');
    const [, readBack] = await rowsRead(prisma, release);
    expect(await books.sql('SELECT seq FROM billing.released_wallet')).toEqual([{ seq: 0 }]);
    expect(readBack).toBeLessThan(2 * WALLETS + 20 * DUES);
  });

  it('are released of so many dues as a step is asked for, whosever they are, and of none that is paid in part', async () => {
    const address = `'0x' || lpad(to_hex(nth), 40, '0')`;
    await books.sql(`
      BEGIN; ${AS_WRITTEN};
      INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
      SELECT ${address}, seq, '0x' || lpad(to_hex(1000 * nth + seq), 64, '0'), 0, (seq - 1) * 10, seq * 10, '${BATCH_ID}', 10
      FROM generate_series(1, 2) AS nth, generate_series(1, 3) AS seq;
      UPDATE billing.wallet SET posted = 30, settled_head = 25, settled_safe = 25
      WHERE wallet IN (SELECT ${address} FROM generate_series(1, 2) AS nth);
      COMMIT`);
    await prisma.$queryRaw`SELECT billing.release_shares('', 3)`;
    const released = 'SELECT seq FROM billing.released_wallet WHERE seq > 0 ORDER BY wallet';
    expect(await books.sql(released)).toEqual([{ seq: 2 }, { seq: 1 }]);
  });
});

describe('shares of two payers of one batch, under the same ids', () => {
  beforeAll(start);
  afterAll(stop);

  it('are released by what each has paid and was given back', async () => {
    await addPayer('nothing');
    const other = await addPayer('nothing', 1);
    await books.sql(`UPDATE billing.wallet SET settled_head = 0, settled_safe = 0 WHERE wallet = '${other}'`);
    await books.sql(
      `INSERT INTO billing.credit (wallet, credit_id, kind, amount, reason, actor)
       VALUES ('${other}', 'req_000001', 'refund', 10, 'r', 'a')`,
    );
    const released = async () => {
      await prisma.$queryRaw`SELECT billing.release_shares('', 100) AS last`;
      return books.sql('SELECT released FROM billing.provider_released');
    };
    expect(await released()).toEqual([{ released: String(RELEASED) }]);
    await books.sql(`UPDATE billing.wallet SET settled_safe = credited WHERE wallet = '${other}'`);
    expect(await released()).toEqual([{ released: String(2 * RELEASED - SHARE) }]);
  });
});

describe('shares of a provider that earned nothing', () => {
  beforeAll(start);
  afterAll(stop);

  it('are none, where others of the batch have theirs, then and when they are taken back', async () => {
    const wallet = await addPayer('nothing');
    await books.sql(`
      BEGIN; ${AS_WRITTEN};
      INSERT INTO billing.usage_record (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok,
        prompt_tokens, completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late)
      VALUES ('${wallet}', 'free', 'key_1', 'm', 'o', 'nobody', 0, 0, 1, 1, 'provider', 1, 'stop', 10, 0, 0, 0, false);
      INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at, batch_id, leaf)
      VALUES ('${wallet}', 'free', 'usage', 0, now(), '${BATCH_ID}', sha256('free'));
      COMMIT`);
    const released = async () => {
      await prisma.$queryRaw`SELECT billing.release_shares('', 100) AS last`;
      return books.sql('SELECT provider, released FROM billing.provider_released');
    };
    expect(await released()).toEqual([{ provider: 'p', released: String(RELEASED) }]);
    await books.sql(`UPDATE billing.wallet SET settled_safe = 0 WHERE wallet = '${wallet}'`);
    expect(await released()).toEqual([{ provider: 'p', released: '0' }]);
  });
});

describe('shares that two instances release at the same moment', () => {
  beforeAll(start);
  afterAll(stop);

  it('are released once', async () => {
    await addPayer('nothing');
    const first = new Client({ connectionString: books.database.adminUrl });
    await first.connect();
    await first.query('BEGIN');
    await first.query(`SELECT billing.release_shares('', 100)`);
    const second = Promise.all([prisma.$queryRaw`SELECT billing.release_shares('', 100) AS last`]);
    await eventually(async () => (await books.database.waitingForLocks()) > 0);
    await first.query('COMMIT');
    await first.end();
    await second;
    expect(await books.sql('SELECT released FROM billing.provider_released')).toEqual([
      { released: String(RELEASED) },
    ]);
  });
});

describe.each(['nothing', 'of few wallets', 'of all wallets'])(
  'wallets that have paid nothing since, when the planner was told %s',
  (told) => {
    const WALLETS = 20_000;
    /** Those that have, first and last among them; SQL, as is the address of the `nth`. */
    const PAYERS = `unnest(ARRAY[1, 2000, 2001, 9999, ${WALLETS}])`;
    const ADDRESS = `'0x' || lpad(to_hex(nth), 40, '0')`;
    /** What a step is asked for at most. */
    const MOST = 50;

    beforeAll(async () => {
      await start();
      await books.database.keepUnanalysed();
      await addWallets(1, 100);
      if (told === 'of few wallets') await books.sql('ANALYZE');
      await addWallets(101, WALLETS);
      await books.sql(`
        BEGIN; ${AS_WRITTEN};
        ${addDues(`${PAYERS} AS nth, generate_series(1 + nth % 2, 2) AS seq`)};
        UPDATE billing.wallet SET posted = 20, settled_head = 20, settled_safe = 20
        WHERE wallet IN (SELECT ${ADDRESS} FROM ${PAYERS} AS nth);
        COMMIT`);
      if (told === 'of all wallets') await books.sql('ANALYZE');
    });
    afterAll(stop);

    /** Every other one has paid its first due, and that was released. */
    async function addWallets(first: number, last: number): Promise<void> {
      const wallets = `generate_series(${first}, ${last}) AS nth`;
      await books.sql(`
        BEGIN; ${AS_WRITTEN};
        INSERT INTO billing.wallet (wallet, posted, settled_head, settled_safe)
        SELECT ${ADDRESS}, paid, paid, paid FROM ${wallets}, LATERAL (SELECT nth % 2 * 10) AS p (paid) ORDER BY md5(nth::text);
        INSERT INTO billing.released_wallet (wallet, settled, seq)
        SELECT ${ADDRESS}, 10, 1 FROM ${wallets} WHERE nth % 2 = 1 ORDER BY md5(nth::text);
        ${addDues(`${wallets}, (VALUES (1)) AS d (seq) WHERE nth % 2 = 1`)};
        COMMIT`);
    }

    /** @param dues SQL for whose (the `nth` wallet's) and the `seq` of each */
    function addDues(dues: string): string {
      return `
        INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
        SELECT ${ADDRESS}, seq, '0x' || lpad(to_hex(nth * 2 + seq), 64, '0'), 0, (seq - 1) * 10, seq * 10, '${BATCH_ID}', 10 FROM ${dues}`;
    }

    it('are looked at by many steps, few by each', async () => {
      const pagesOfSteps: number[] = [];
      let beyond: string | null | undefined = '';
      while (typeof beyond === 'string') {
        const [rows, pages]: [{ last: string | null }[], number] = await pagesRead(
          prisma,
          () => prisma.$queryRaw`SELECT billing.release_shares(${beyond}, ${MOST}) AS last`,
        );
        beyond = rows[0]?.last;
        pagesOfSteps.push(pages);
      }
      expect(Math.max(...pagesOfSteps)).toBeLessThan(5 * 40 * MOST);
      // All of them were.
      expect(
        await books.sql(`
          SELECT w.wallet FROM billing.wallet w LEFT JOIN billing.released_wallet r USING (wallet)
          WHERE w.settled_safe <> coalesce(r.settled, 0)`),
      ).toEqual([]);
      expect(
        await books.sql(
          'SELECT count(*)::integer AS payers FROM billing.released_wallet WHERE settled = 20 AND seq = 2',
        ),
      ).toEqual([{ payers: 5 }]);
    });
  },
);

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
