import { createPrismaClient } from '@svc/persistence';
import { pagesRead } from '../database/rows-read.for-spec';
import { addWallet, startTestLedger } from '../ledger/ledger.for-spec';
import { DueListStore } from './due-list.store';
import { STATEMENT_SETTINGS } from './statement-database';

const DUES = 3_000;
const PAGE = 26;

const batchOf = (nth: number) => `0x${nth.toString(16).padStart(64, '0')}`;

it.each(['nothing', 'of wallets with a due each'])(
  'a due of a wallet with many is looked up, when the planner was told %s',
  async (told) => {
    const books = await startTestLedger();
    // One connection, so that what it read can be asked for at once.
    const prisma = createPrismaClient(books.database.billingUrl, {
      maxConnections: 1,
      settings: STATEMENT_SETTINGS,
    });
    const addDues = (wallet: string, seq: string, position: number) =>
      // They refer to batches that nobody made.
      books.sql(`
        BEGIN; SET LOCAL session_replication_role = replica;
        INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
        SELECT ${wallet}, ${seq}, '0x' || lpad(to_hex(nth), 64, '0'), ${position}, (${seq} - 1) * 10, ${seq} * 10, '${batchOf(1)}', 10
        FROM generate_series(1, ${DUES}) AS nth;
        COMMIT`);
    try {
      await books.database.keepUnanalysed();
      if (told !== 'nothing') {
        await addDues(`'0x' || lpad(to_hex(nth), 40, '0')`, '1', 0);
        await books.sql('ANALYZE');
      }
      const { wallet } = await addWallet(books, 10n ** 9n);
      await addDues(`'${wallet}'`, 'nth', 1);
      const dues = new DueListStore({ prisma } as never);
      const [due, pages] = await pagesRead(prisma, () => dues.find(wallet, batchOf(1_500)));
      expect(due?.line).toMatchObject({ previous: '14990', cumulative: '15000' });
      expect(pages).toBeLessThan(20);
      const [page, pagesOfPage] = await pagesRead(prisma, () => dues.page(wallet, batchOf(1_500), PAGE));
      expect(page.map(({ batchId }) => batchId)).toEqual(
        Array.from({ length: PAGE }, (_, at) => batchOf(1_499 - at)),
      );
      expect(pagesOfPage).toBeLessThan(15 * PAGE);
    } finally {
      await prisma.$disconnect();
      await books.close();
    }
  },
);
