import type { PrismaClient } from '@svc/persistence';
import { createPrismaClient } from '@svc/persistence';
import { LOCK_WALLET, holding, waitingForLocks } from '../database/locks.for-spec';
import { addWallet, startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import type { WalletLimits } from './limit';
import { LimitStore } from './limit.store';

let test: TestLedger;
let prisma: PrismaClient;
let store: LimitStore;

beforeAll(async () => {
  test = await startTestLedger();
  prisma = createPrismaClient(test.config.databaseUrl);
  store = new LimitStore(prisma);
});
afterAll(async () => {
  await prisma.$disconnect();
  await test.close();
});

async function stored(wallet: string): Promise<unknown> {
  const [row] = await test.sql(
    'SELECT limit_head, settled_head, limit_safe, settled_safe FROM billing.wallet WHERE wallet = $1',
    [wallet],
  );
  return Object.values(row as Record<string, string>);
}

const means = (balance: bigint, allowance: bigint, pulled: bigint) => ({ balance, allowance, pulled });

const limits = (wallet: string, changes: Partial<WalletLimits> = {}): WalletLimits => ({
  ...{ wallet, head: means(9n, 5n, 1n), safe: means(7n, 8n, 1n) },
  ...changes,
});

describe('LimitStore', () => {
  it('writes what changed, and nothing else', async () => {
    const [a, b] = [await addWallet(test, 10n), await addWallet(test, 10n)];
    const both = [
      limits(a.wallet),
      limits(b.wallet, { head: means(10n, 11n, 0n), safe: means(10n, 11n, 0n) }),
    ];
    expect(await store.write(both)).toBe(1);
    // Nor a row of what is the same, nor a lock on it (xmax), which is written too: every wallet is looked at, again and again.
    const rows = () =>
      test.sql(
        'SELECT ctid, xmax, wallet FROM billing.wallet_means UNION ALL SELECT ctid, xmax, wallet FROM billing.wallet',
      );
    const before = await rows();
    expect(await store.write(both)).toBe(0);
    expect(await rows()).toEqual(before);
    expect(await stored(a.wallet)).toEqual(['5', '1', '7', '1']);
    expect(await store.write([limits(`0x${'0'.repeat(40)}`)])).toBe(0);
    const { active, others } = await store.toRead('', 1);
    expect(active).toEqual([a.wallet]);
    expect(others).toEqual([a.wallet, b.wallet].sort().slice(0, 1));
  });

  it.each([
    ['has something held', 'held = 1', true],
    ['owes something', 'posted = 3, credited = 1, settled_head = 1, settled_safe = 1', true],
    ['was not able to pay, and owes it', 'pull_failed_at = now(), posted = 3', false],
    ['was not able to pay, and has something held', 'pull_failed_at = now(), posted = 3, held = 1', true],
    ['was not able to pay, and has by one view', 'pull_failed_at = now(), posted = 3, limit_head = 11', true],
    ['is paying what it was not able to', 'pull_failed_at = now(), posted = 3, settled_head = 3', true],
    ['has paid by one view alone', 'settled_head = 1', true],
    ['can pay more by one view', 'limit_head = 11', true],
    ['owes nothing any more', 'posted = 3, credited = 1, settled_head = 2, settled_safe = 2', false],
  ])('has a wallet that %s read at each look or not: %s', async (_, figures, expected) => {
    const { wallet } = await addWallet(test, 10n);
    await test.sql(`UPDATE billing.wallet SET ${figures} WHERE wallet = $1`, [wallet]);
    expect((await store.toRead('', 1)).active.includes(wallet)).toBe(expected);
  });

  it.each([
    [9, false],
    [10, true],
  ])(
    'has a wallet that owes a due of %s, of 10 at least, read at each look or not: %s',
    async (posted, expected) => {
      const { wallet } = await addWallet(test, 10n);
      await test.sql('UPDATE billing.wallet SET posted = $2 WHERE wallet = $1', [wallet, posted]);
      expect((await store.toRead('', 1, 10n)).active.includes(wallet)).toBe(expected);
    },
  );

  it('has of balance and approval the lower one, at either depth', async () => {
    const { wallet } = await addWallet(test, 10n);
    await store.write([limits(wallet, { head: means(4n, 5n, 0n), safe: means(8n, 6n, 0n) })]);
    expect(await stored(wallet)).toEqual(['4', '0', '6', '0']);
    await store.write([limits(wallet, { head: means(5n, 4n, 0n), safe: undefined })]);
    expect(
      await test.sql(
        `SELECT balance_head, allowance_head, balance_safe, allowance_safe FROM billing.wallet_means WHERE wallet = $1`,
        [wallet],
      ),
    ).toEqual([{ balance_head: '5', allowance_head: '4', balance_safe: '8', allowance_safe: '6' }]);
  });

  it('lets the safe figures stay when that depth could not be read', async () => {
    const { wallet } = await addWallet(test, 10n);
    const unread = { safe: undefined };
    expect(await store.write([limits(wallet, unread)])).toBe(1);
    expect(await stored(wallet)).toEqual(['5', '1', '10', '0']);
    expect(await store.write([limits(wallet, unread)])).toBe(0);
  });

  it('takes figures beyond BIGINT, cut off', async () => {
    const { wallet } = await addWallet(test, 10n);
    const [all, most] = [means(2n ** 255n, 2n ** 256n - 1n, 2n ** 64n), '4000000000000000000'];
    await store.write([limits(wallet, { head: all, safe: all })]);
    expect(await stored(wallet)).toEqual([most, most, most, most]);
  });

  it('books what was collected once, also where two instances read it at the same moment', async () => {
    const { wallet } = await addWallet(test, 10n);
    const blocker = await holding(test.database, LOCK_WALLET, [wallet]);
    const written = Promise.all([1, 2].map(() => store.write([limits(wallet)])));
    await waitingForLocks(test.database, 2);
    await blocker.done();
    expect((await written).sort()).toEqual([0, 1]);
    expect(await test.sql('SELECT kind, amount FROM billing.transfer WHERE wallet = $1', [wallet])).toEqual([
      { kind: 'settle', amount: '1' },
    ]);
  });

  it('takes wallets in the order in which a batch takes them, however they are given', async () => {
    const wallets = (await Promise.all(Array.from({ length: 20 }, () => addWallet(test, 10n))))
      .map(({ wallet }) => wallet)
      .sort();
    const [first, ...others] = wallets;
    const blocker = await holding(test.database, LOCK_WALLET, [first]);
    const written = store.write([...wallets].reverse().map((wallet) => limits(wallet)));
    await waitingForLocks(test.database, 1);
    // Whoever waits for the first of them keeps none of the others.
    const free = 'SELECT wallet FROM billing.wallet WHERE wallet = ANY ($1) FOR UPDATE SKIP LOCKED';
    expect(await test.sql(free, [others])).toHaveLength(others.length);
    await blocker.done();
    expect(await written).toBe(wallets.length);
  });

  it('waits for no wallet that did not change', async () => {
    const [a, b] = [await addWallet(test, 10n), await addWallet(test, 5n)];
    const unchanged = limits(a.wallet, { head: means(10n, 11n, 0n), safe: means(10n, 11n, 0n) });
    const blocker = await holding(test.database, LOCK_WALLET, [a.wallet]);
    expect(await store.write([unchanged, limits(b.wallet)])).toBe(1);
    await blocker.done();
  });
});
