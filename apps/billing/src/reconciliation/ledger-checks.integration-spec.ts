import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../database/rests';
import { pagesRead } from '../database/rows-read.for-spec';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { FULL_CHECKS, INCREMENTAL_CHECKS } from './ledger-checks';
import type { LedgerCheck } from './ledger-checks';
import { ReconciliationStore } from './reconciliation.store';

const WALLETS = 20_000;
const DUES_PER_BATCH = 200;
const PULLED = 'no more is pulled than was charged and asked for';
const ASKED = 'no more is asked for than was charged';
/** SQL for the address of the `nth` wallet, and for the word of that number. */
const ADDRESS = `'0x' || lpad(to_hex(nth), 40, '0')`;
const word = (number: string) => `'0x' || lpad(to_hex(${number}), 64, '0')`;
const addressOf = (nth: number) => `0x${nth.toString(16).padStart(40, '0')}`;

describe.each(['nothing', 'of all wallets'])(
  'many wallets that have paid, when the planner was told %s',
  (told) => {
    let books: TestLedger;
    let prisma: PrismaClient;
    let store: ReconciliationStore;

    beforeAll(async () => {
      books = await startTestLedger();
      // One connection, so that what it read can be asked for at once.
      prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
      store = new ReconciliationStore(prisma, 'ledger-checks', prisma, new Rests());
      await books.database.keepUnanalysed();
      await alter(`
        INSERT INTO billing.wallet (wallet, posted, settled_head, settled_safe)
        SELECT ${ADDRESS}, 10, 10, 10 FROM generate_series(1, ${WALLETS}) AS nth;
        INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount, state, created_at)
        SELECT ${word('n')}, ${word('n')}, ${DUES_PER_BATCH}, ${DUES_PER_BATCH}, ${DUES_PER_BATCH * 10}, 'settled',
               now() + n * interval '1 second'
        FROM generate_series(1, ${WALLETS / DUES_PER_BATCH}) AS n;
        INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
        SELECT ${ADDRESS}, 1, ${word(`1 + (nth - 1) / ${DUES_PER_BATCH}`)}, (nth - 1) % ${DUES_PER_BATCH}, 0, 10, ${word('1')}, 10
        FROM generate_series(1, ${WALLETS}) AS nth;
        INSERT INTO billing.settlement_event (block_hash, log_index, block_number, tx_hash, kind, batch_id, wallet, amount)
        SELECT ${word('nth')}, 0, nth, ${word('nth')}, 'pulled', ${word(`1 + (nth - 1) / ${DUES_PER_BATCH}`)}, ${ADDRESS}, 10
        FROM generate_series(1, ${WALLETS}) AS nth`);
      if (told === 'of all wallets') await books.sql('ANALYZE');
    });
    afterAll(async () => {
      await prisma.$disconnect();
      await books.close();
    });

    /** Whatever the database refuses. */
    const alter = (change: string) =>
      books.sql(`BEGIN; SET LOCAL session_replication_role = replica; ${change}; COMMIT`);
    const alterWallet = (nth: number, change: string) =>
      alter(`UPDATE billing.wallet SET ${change} WHERE wallet = '${addressOf(nth)}'`);

    /** The wallets of which the check says that it is not so. */
    async function brokenBy(checks: readonly LedgerCheck[], rule: string): Promise<(string | undefined)[]> {
      const check = checks.find((each) => each.rule === rule);
      if (!check) throw new Error('no such check');
      return (await store.run(check)).map(({ subject }) => subject);
    }

    it.each([PULLED, ASKED])('are compared without a look at the dues of each: %s', async (rule) => {
      const [broken, pages] = await pagesRead(prisma, () => brokenBy(INCREMENTAL_CHECKS, rule));
      expect(broken).toEqual([]);
      // The wallets have some 700 pages, and are read twice; the last due of each would be three more for every one of them.
      expect(pages).toBeLessThan(WALLETS);
      expect(await brokenBy(FULL_CHECKS, rule)).toEqual([]);
    });

    it('have one seen that paid more than it was charged, however long ago', async () => {
      await alterWallet(1, 'posted = 9');
      expect(await brokenBy(INCREMENTAL_CHECKS, PULLED)).toEqual([addressOf(1)]);
      await alterWallet(1, 'posted = 10');
    });

    it('have one seen that paid more of late than it was asked for', async () => {
      await alterWallet(WALLETS, 'posted = 20, settled_head = 11');
      expect(await brokenBy(INCREMENTAL_CHECKS, PULLED)).toEqual([addressOf(WALLETS)]);
      await alterWallet(WALLETS, 'posted = 10, settled_head = 10');
    });

    it('have one seen that was asked of late for more than it was charged', async () => {
      await alterWallet(WALLETS, 'posted = 9');
      expect(await brokenBy(INCREMENTAL_CHECKS, ASKED)).toEqual([addressOf(WALLETS)]);
      await alterWallet(WALLETS, 'posted = 10');
    });

    it('have one seen that was asked of late for more, though a clock that was ahead dated others later', async () => {
      const earlier = `WHERE batch_id <= ${word('10')}`;
      await alter(
        `UPDATE billing.settlement_batch SET created_at = created_at + interval '1 day' ${earlier}`,
      );
      await alterWallet(WALLETS, 'posted = 9');
      expect(await brokenBy(INCREMENTAL_CHECKS, ASKED)).toEqual([addressOf(WALLETS)]);
      await alterWallet(WALLETS, 'posted = 10');
      await alter(
        `UPDATE billing.settlement_batch SET created_at = created_at - interval '1 day' ${earlier}`,
      );
    });

    it('have one seen in full that was so long ago', async () => {
      await alterWallet(1, 'posted = 9');
      expect(await brokenBy(FULL_CHECKS, ASKED)).toEqual([addressOf(1)]);
      await alterWallet(1, 'posted = 20, settled_safe = 11');
      expect(await brokenBy(FULL_CHECKS, PULLED)).toEqual([addressOf(1)]);
      await alterWallet(1, 'posted = 10, settled_safe = 10');
    });
  },
);
