import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { pagesRead, rowsRead } from '../database/rows-read.for-spec';
import { ALL_TOLD, addLargeWallet } from '../ledger/large-wallet.for-spec';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { CreditListStore } from './credit-list.store';
import { STATEMENT_SETTINGS } from './statement-database';
import { UsageListStore } from './usage-list.store';

const REQUESTS = 3_000;
const PAGE = 51;

describe.each(ALL_TOLD)('a page, when the planner was told %s', (told) => {
  let books: TestLedger;
  let prisma: PrismaClient;
  let wallet: string;

  beforeAll(async () => {
    books = await startTestLedger();
    // One connection, so that what it read can be asked for at once.
    prisma = createPrismaClient(books.database.billingUrl, {
      maxConnections: 1,
      settings: STATEMENT_SETTINGS,
    });
    ({ wallet } = await addLargeWallet(books, told, REQUESTS));
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await books.close();
  });

  it.each([
    ['all requests', {}, undefined],
    ['all requests, from the middle', {}, { createdAt: '2026-01-01T00:25:00Z', requestId: 'req_001500' }],
    ['requests of a model', { model: 'svc/demo@1' }, undefined],
  ])('of %s reads what it shows', async (_, selection, after) => {
    const lines = new UsageListStore({ prisma } as never);
    const [page, read] = await rowsRead(prisma, () => lines.page({ wallet, ...selection }, after, PAGE));
    expect(page).toHaveLength(PAGE);
    expect(page.filter((row) => 'refunded' in row && row.refunded)).toHaveLength(after ? 25 : 26);
    // A line, its record, and what was given back of it.
    expect(read).toBeLessThan(4 * PAGE);
    const [, pages] = await pagesRead(prisma, () => lines.page({ wallet, ...selection }, after, PAGE));
    expect(pages).toBeLessThan(16 * PAGE);
  });

  it('of credits reads what it shows', async () => {
    const credits = new CreditListStore({ prisma } as never);
    const [page, read] = await rowsRead(prisma, () => credits.page({ wallet }, undefined, PAGE));
    expect(page).toHaveLength(PAGE);
    expect(read).toBeLessThan(2 * PAGE);
  });
});
