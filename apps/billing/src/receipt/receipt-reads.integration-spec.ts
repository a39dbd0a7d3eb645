import { createPrismaClient } from '@svc/persistence';
import { pagesRead } from '../database/rows-read.for-spec';
import { Rests } from '../database/rests';
import { ALL_TOLD, addLargeWallet } from '../ledger/large-wallet.for-spec';
import { startTestLedger } from '../ledger/ledger.for-spec';
import { ReceiptStore } from './receipt.store';

const REQUESTS = 6_000;
const DUE = 1_000;

it.each(ALL_TOLD)(
  'receipts of a wallet that was given much back are read by their keys, when the planner was told %s',
  async (told) => {
    const books = await startTestLedger();
    // One connection, so that what it read can be asked for at once.
    const prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
    try {
      const { wallet } = await addLargeWallet(books, told, REQUESTS);
      await books.sql(`
        INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at)
        SELECT wallet, hold_id, 'usage', cost, created_at FROM billing.usage_record WHERE wallet = '${wallet}'
        UNION ALL
        SELECT wallet, credit_id, kind, -1, created_at FROM billing.credit WHERE wallet = '${wallet}';
        UPDATE billing.wallet SET posted = ${REQUESTS} * 10, credited = ${REQUESTS} / 2 WHERE wallet = '${wallet}'`);
      const receipts = new ReceiptStore(prisma, new Rests());
      const [refund, pages] = await pagesRead(prisma, () => receipts.find(wallet, 'req_001500', 'refund'));
      expect(refund).toMatchObject({ kind: 'refund', reason: 'r' });
      expect(pages).toBeLessThan(20);
      const [due, pagesOfDue] = await pagesRead(prisma, () => receipts.unbatched(wallet, DUE));
      expect(due?.leaves).toHaveLength(DUE);
      expect(pagesOfDue).toBeLessThan(20 * DUE);
    } finally {
      await prisma.$disconnect();
      await books.close();
    }
  },
);
