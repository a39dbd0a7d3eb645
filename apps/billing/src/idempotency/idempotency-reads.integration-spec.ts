import { createHash } from 'node:crypto';
import { createPrismaClient } from '@svc/persistence';
import { rowsRead } from '../database/rows-read.for-spec';
import { ALL_TOLD, addLargeWallet } from '../ledger/large-wallet.for-spec';
import { startTestLedger } from '../ledger/ledger.for-spec';
import { IdempotencyStore } from './idempotency.store';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it.each(ALL_TOLD)(
  'a key of a wallet with many requests is looked up, when the planner was told %s',
  async (told) => {
    const books = await startTestLedger();
    // One connection, so that what it read can be asked for at once.
    const prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
    try {
      const { keyHash, wallet } = await addLargeWallet(books, told, 10_000);
      const store = new IdempotencyStore(prisma);
      const [known, readForKnown] = await rowsRead(prisma, () => store.find(keyHash, sha256('req_001500')));
      expect(known).toMatchObject({
        wallet,
        request: { holdId: 'req_001500', completed: true, amount: '10' },
      });
      expect(readForKnown).toBeLessThan(20);
      const [unknown, readForUnknown] = await rowsRead(prisma, () => store.find(keyHash, 'f'.repeat(64)));
      expect(unknown).toEqual({ wallet, suspended: false });
      expect(readForUnknown).toBeLessThan(20);
    } finally {
      await prisma.$disconnect();
      await books.close();
    }
  },
);
