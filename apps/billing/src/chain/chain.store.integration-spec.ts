import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { Client } from 'pg';
import { addWallet, startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { ChainMovedError } from './block';
import type { BlockRef, ChainPosition, ChainStep } from './block';
import { ChainStore } from './chain.store';
import type { WalletLimits } from './limit';
import { LimitStore } from './limit.store';

const word = (number: number) => `0x${String(number).padStart(64, '0')}`;
const block = (number: number): BlockRef => ({ number, hash: word(number) });
const at = (number: number): ChainPosition => ({ head: block(number), safe: block(number) });

/** Those blocks come, each with an event. */
const step = (numbers: number[], changes: Partial<ChainStep> = {}): ChainStep => ({
  ancestor: undefined,
  dropped: 0,
  headers: numbers.map((number) => ({ ...block(number), parentHash: word(number - 1), timestamp: number })),
  events: numbers.map((number) => ({
    block: block(number),
    logIndex: 0,
    txHash: word(number),
    kind: 'batch_settled',
    batchId: word(number),
    wallet: undefined,
    amount: 1n,
  })),
  ...changes,
});

const limits = (wallet: string, balance: bigint): WalletLimits => {
  const means = { balance, allowance: balance, pulled: 0n };
  return { wallet, head: means, safe: means };
};

let books: TestLedger;
let prisma: PrismaClient;
let store: ChainStore;

beforeEach(async () => {
  books = await startTestLedger();
  prisma = createPrismaClient(books.database.billingUrl);
  store = new ChainStore(prisma, new LimitStore(prisma));
});
afterEach(async () => {
  await prisma.$disconnect();
  await books.close();
});

describe('ChainStore', () => {
  it('writes no figures over those of a later block', async () => {
    const { wallet } = await addWallet(books, 9n);
    await store.record(undefined, step([1]), at(1), []);
    await store.refresh(at(1), [limits(wallet, 8n)]);
    await store.record(at(1), step([2]), at(2), [limits(wallet, 7n)]);
    await expect(store.refresh(at(1), [limits(wallet, 8n)])).rejects.toThrow(ChainMovedError);
    await expect(store.record(at(1), step([3]), at(3), [limits(wallet, 8n)])).rejects.toThrow(
      ChainMovedError,
    );
    expect(await store.position()).toEqual(at(2));
    expect(await books.sql('SELECT limit_head, limit_safe FROM billing.wallet')).toEqual([
      { limit_head: '7', limit_safe: '7' },
    ]);
  });

  it('writes very many wallets in one commit and no long statement', async () => {
    const written = jest.spyOn(LimitStore.prototype, 'write');
    await books.sql(
      `INSERT INTO billing.wallet (wallet) SELECT '0x' || lpad(to_hex(n), 40, '0') FROM generate_series(1, 12000) n`,
    );
    const rows = await books.sql<{ wallet: string }>('SELECT wallet FROM billing.wallet');
    const all = rows.map(({ wallet }) => limits(wallet, 8n));
    await store.record(undefined, step([1]), at(1), all);
    expect(written.mock.calls.map(([some]) => some.length)).toEqual([5_000, 5_000, 2_000]);
    const figures = 'SELECT count(*)::int AS wallets, min(limit_safe), max(limit_head) FROM billing.wallet';
    expect(await books.sql(figures)).toEqual([{ wallets: 12_000, min: '8', max: '8' }]);
    // Another instance came first: nothing of them is written.
    const later = all.map(({ wallet }) => limits(wallet, 9n));
    await expect(store.record(undefined, step([2]), at(2), later)).rejects.toThrow(ChainMovedError);
    expect(await books.sql(figures)).toEqual([{ wallets: 12_000, min: '8', max: '8' }]);
    written.mockRestore();
  });

  it('has one of two instances take a step that both begin at once, also the first', async () => {
    const held = new Client({ connectionString: books.database.adminUrl });
    await held.connect();
    await held.query('BEGIN');
    await held.query('LOCK TABLE billing.chain_position');
    const both = Promise.allSettled([1, 2].map(() => store.record(undefined, step([1]), at(1), [])));
    await eventually(async () => (await books.database.waitingForLocks()) === 2).finally(() => held.end());
    const refused = (await both).flatMap((each) =>
      each.status === 'rejected' ? [each.reason as unknown] : [],
    );
    expect(refused).toEqual([expect.any(ChainMovedError)]);
    expect(await store.blocks()).toEqual([block(1)]);
  });

  it('takes back what blocks showed that are no longer on the chain, and nothing else', async () => {
    await store.record(undefined, step([1, 2, 3]), at(3), []);
    for (const number of [1, 2]) {
      const settled = [word(number), number];
      await books.sql(
        `INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount, state, settled_at, settled_block)
         VALUES ($1, $1, 1, 1, 1, 'settled', now(), $2)`,
        settled,
      );
      await books.sql(
        `INSERT INTO billing.payout (payout_id, root, state, settled_at, settled_block)
         VALUES ($1, $1, 'settled', now(), $2)`,
        settled,
      );
    }
    const forked = { head: { number: 2, hash: word(22) }, safe: block(1) };
    const header = { ...forked.head, parentHash: word(1), timestamp: 2 };
    await store.record(at(3), step([], { ancestor: block(1), dropped: 2, headers: [header] }), forked, []);
    expect(await store.blocks()).toEqual([forked.head, block(1)]);
    expect(await books.sql('SELECT block_hash FROM billing.settlement_event')).toEqual([
      { block_hash: word(1) },
    ]);
    for (const jobs of ['settlement_batch', 'payout']) {
      expect(
        await books.sql(
          `SELECT state::text, settled_at IS NOT NULL AS dated FROM billing.${jobs} ORDER BY settled_block`,
        ),
      ).toEqual([
        { state: 'settled', dated: true },
        { state: 'signed', dated: false },
      ]);
    }
  });

  it('knows of blocks that are not kept those with an event', async () => {
    await store.record(undefined, step([1, 2]), at(2), []);
    await store.record(at(2), step([1_000, 1_001], { events: [] }), at(1_001), []);
    expect(await store.blocks()).toEqual([block(1_001), block(1_000)]);
    expect(await store.newestUpTo(1_000)).toEqual(block(1_000));
    expect(await store.newestUpTo(999)).toEqual(block(2));
    expect(await store.newestUpTo(1)).toEqual(block(1));
    expect(await store.newestUpTo(0)).toBeUndefined();
  });
});
