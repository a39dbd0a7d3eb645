import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import { addWallet, admission, charge, startTestLedger, untilReadable } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import type { ProjectionService } from '../receipt/projection.service';
import { ProjectionStore } from '../receipt/projection.store';
import { ReceiptStore } from '../receipt/receipt.store';
import { batchOf, dueOf } from './batch';
import { BatchPlanner } from './batch-planner.service';
import { BatchStore } from './batch.store';
import type { TransactionStore } from './signer/transaction.store';

const WAITING = 3_000;
const TERMS = {
  most: 10,
  intervalMs: 600_000,
  leastFresh: 1_000n,
  longestWaitMs: 604_800_000,
  urgentFrom: 10_000n,
};
const BATCH_ID = `0x${'b'.repeat(64)}`;

let books: TestLedger;
let prisma: PrismaClient;

beforeEach(async () => {
  books = await startTestLedger();
  // One connection, so that what it read can be asked for at once.
  prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
});
afterEach(async () => {
  await prisma.$disconnect();
  await books.close();
});

/** A wallet that owes a base unit for each of its requests, which all have their receipts; every tenth cost nothing. */
async function addDebtor(): Promise<string> {
  const { wallet, keyId } = await addWallet(books, 10n ** 9n);
  const requests = `generate_series(1, ${WAITING}) AS nth`;
  await books.sql(
    `INSERT INTO billing.usage_record
       (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
        completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late)
     SELECT $1, 'req_' || nth, $2, 'svc/demo@1', 'o', 'p', 0, 1000000, 0, (nth % 10 > 0)::integer, 'provider', 1, 'stop', 9,
            (nth % 10 > 0)::integer, 0, 0, false
     FROM ${requests}`,
    [wallet, keyId],
  );
  await books.sql(
    `INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at)
     SELECT $1, 'req_' || nth, 'usage', (nth % 10 > 0)::integer, now() + nth * interval '1 microsecond' FROM ${requests}`,
    [wallet],
  );
  await books.sql('UPDATE billing.wallet SET posted = $2 WHERE wallet = $1', [wallet, (WAITING / 10) * 9]);
  return wallet;
}

/** What `work` comes to, and how many receipts the database reads for it. */
async function receiptsRead<Result>(work: () => Promise<Result>): Promise<[Result, read: number]> {
  const readSoFar = async () => {
    await prisma.$queryRaw`SELECT 1 FROM pg_stat_force_next_flush()`;
    const [row] = await prisma.$queryRaw<{ read: number }[]>`
      SELECT (seq_tup_read + (SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::float8 AS read
      FROM pg_stat_user_tables t WHERE relid = 'billing.receipt'::regclass`;
    return row?.read ?? NaN;
  };
  const before = await readSoFar();
  const result = await work();
  return [result, (await readSoFar()) - before];
}

describe('what the next batch collects', () => {
  it('is found, read and noted without reading all that waits', async () => {
    const wallet = await addDebtor();
    const receipts = new ReceiptStore(prisma, new Rests());
    const transactions = { add: () => Promise.resolve() } as unknown as TransactionStore;
    const batches = new BatchStore(prisma, transactions, new Rests());

    const [[candidate], readForCandidates] = await receiptsRead(() => batches.candidates(TERMS));
    expect(candidate).toMatchObject({ wallet, fresh: BigInt((WAITING / 10) * 9) });
    expect(readForCandidates).toBeLessThan(100);

    const [collection, readForReceipts] = await receiptsRead(() => receipts.unbatched(wallet, 40));
    // A place is kept for a part of something given back.
    const costs = collection?.leaves.map(({ amount }) => Number(amount)) ?? [];
    expect(costs.filter((cost) => cost === 1)).toHaveLength(30);
    expect(costs.filter((cost) => cost === 0)).toHaveLength(9);
    expect(collection?.more).toBe(true);
    expect(readForReceipts).toBeLessThan(500);

    const due = candidate && dueOf(candidate, collection);
    if (!due) throw new Error('nothing to ask for');
    const [, readForBatch] = await receiptsRead(() =>
      batches.add(batchOf(BATCH_ID, [due]), undefined as never),
    );
    expect(readForBatch).toBeLessThan(500);
    const [{ left } = {}] = await books.sql<{ left: number }>(
      'SELECT count(*)::integer AS left FROM billing.receipt WHERE batch_id IS NULL',
    );
    expect(left).toBe(WAITING - 39);
  });

  it('leaves nobody waiting when it takes all', async () => {
    const wallet = await addDebtor();
    const collection = await new ReceiptStore(prisma, new Rests()).unbatched(wallet, WAITING + 1);
    expect(collection?.leaves).toHaveLength(WAITING);
    expect(collection?.more).toBe(false);
  });

  it('is nothing that was given back, though its receipt is not made yet', async () => {
    const owner = await addWallet(books, 10n ** 9n);
    const { wallet } = owner;
    const post = async (cost: number) => {
      const operation = admission(owner, BigInt(cost));
      await books.ledger.admit(operation);
      const { holdId } = operation;
      await books.ledger.resolve({ type: 'post', wallet, holdId, charge: charge(cost) });
      return holdId;
    };
    const refunded = await post(20);
    await post(1);
    await books.ledger.resolve({ type: 'abandon', wallet, holdId: refunded });
    await untilReadable(books);
    const projections = new ProjectionStore(prisma);
    /** As another instance leaves them that has made one of many at a time: those of credits come last. */
    const projection = {
      stopped: false,
      project: async () =>
        (await projections.run('receipts', 1)) + (await projections.run('receipts', 1)) === 2,
    };
    const batches = new BatchStore(prisma, {} as TransactionStore, new Rests());
    const receipts = new ReceiptStore(prisma, new Rests());
    const plan = () =>
      new BatchPlanner(
        Object.assign(new BillingConfig(), { settlementMinDue: '0' }),
        batches,
        receipts,
        projection as unknown as ProjectionService,
        new Rests(),
      ).plan();
    expect(await plan()).toMatchObject({ dues: [{ wallet, next: 1n, asked: 1n }], receipts: 1, amount: 1n });
    const kinds = await books.sql<{ kind: string }>('SELECT kind FROM billing.receipt');
    expect(kinds).toEqual([{ kind: 'usage' }, { kind: 'usage' }]);
    // Nor once it is.
    await projections.run('receipts', 10);
    expect((await receipts.unbatched(wallet, 10))?.leaves.map(({ amount }) => Number(amount))).toEqual([
      20, 1, -20,
    ]);
  });
});
