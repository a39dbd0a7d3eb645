import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { eventually } from '@svc/testing';
import { Client } from 'pg';
import { Rests } from '../../database/rests';
import { PROVIDER, startTestLedger } from '../../ledger/ledger.for-spec';
import type { TestLedger } from '../../ledger/ledger.for-spec';
import { PauseStore } from '../pause.store';
import type { Signed } from '../signer/signer-account';
import type { SignerLeaseStore } from '../signer/signer-lease.store';
import { TransactionStore } from '../signer/transaction.store';
import { PayoutStore } from './payout.store';

const SAFE = `0x${'a'.repeat(64)}`;
const OTHER = `0x${'b'.repeat(64)}`;
const PAYOUT = `0x${'d'.repeat(64)}`;
const signed: Signed = {
  to: PROVIDER,
  data: '0x',
  signer: `0x${'1'.repeat(40)}`,
  hash: `0x${'c'.repeat(64)}`,
  raw: '0x00',
  nonce: 0,
  gasLimit: 100_000n,
  fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
};

let books: TestLedger;
let prisma: PrismaClient;
let pauses: PauseStore;
let store: PayoutStore;

beforeEach(async () => {
  books = await startTestLedger();
  prisma = createPrismaClient(books.database.billingUrl);
  pauses = new PauseStore(prisma);
  const leases: Partial<SignerLeaseStore> = { require: () => Promise.resolve() };
  const transactions = new TransactionStore(prisma, leases as SignerLeaseStore, pauses);
  store = new PayoutStore(prisma, transactions, new Rests());
});
afterEach(async () => {
  await prisma.$disconnect();
  await books.close();
});

const transfers = () => books.sql('SELECT kind::text, amount::text FROM billing.transfer');
const add = () => store.add(PAYOUT, OTHER, [{ provider: PROVIDER, cumulative: 1n }], signed);

describe('PayoutStore', () => {
  it('books nothing over what another instance has booked meanwhile', async () => {
    await Promise.all([1, 2].map(() => store.book(undefined, SAFE, new Map([[PROVIDER, 5n]]))));
    await store.book(undefined, OTHER, new Map([[PROVIDER, 3n]]));
    expect(await transfers()).toEqual([{ kind: 'payout', amount: '5' }]);
    expect(await store.paidView()).toEqual({ safeHash: SAFE, paid: new Map([[PROVIDER, 5n]]) });
  });

  it('books nothing twice when another instance books at the same moment', async () => {
    // Whoever books waits for this one, in the midst of its commit.
    const held = new Client({ connectionString: books.database.adminUrl });
    await held.connect();
    await held.query('BEGIN');
    await held.query('INSERT INTO billing.provider_paid (provider, paid_safe) VALUES ($1, 0)', [PROVIDER]);
    const booked = Promise.all([1, 2].map(() => store.book(undefined, SAFE, new Map([[PROVIDER, 5n]]))));
    await eventually(async () => (await books.database.waitingForLocks()) === 2).finally(() => held.end());
    await booked;
    expect(await transfers()).toEqual([{ kind: 'payout', amount: '5' }]);
  });

  it('keeps no root, nor its transaction, while settlement is paused', async () => {
    await pauses.pause('the test says so', 'tester');
    await expect(add()).rejects.toThrow('settlement is paused');
    expect(await store.newest()).toBeUndefined();
    expect(await books.sql('SELECT tx_hash FROM billing.chain_transaction')).toEqual([]);
    await pauses.resume('the test says so', 'tester');
    await add();
    expect(await store.newest()).toMatchObject({ payoutId: PAYOUT, state: 'signed', root: OTHER });
    expect(await store.newestOnChain()).toBeUndefined();
  });

  it('has as the newest root the one that was made last, and not one that a clock dated which was set back since', async () => {
    await add();
    await books.sql(`UPDATE billing.payout SET state = 'settled', created_at = now() + interval '1 day'`);
    await store.add(SAFE, SAFE, [], { ...signed, hash: SAFE });
    expect(await store.newest()).toMatchObject({ payoutId: SAFE, state: 'signed' });
    expect(await store.newestOnChain()).toMatchObject({ payoutId: PAYOUT, state: 'settled' });
  });

  it('settles a root as of the safe block that is known, and keeps what it cost', async () => {
    await add();
    await books.sql(
      `INSERT INTO billing.chain_position (head_number, head_hash, safe_number, safe_hash) VALUES (9, $1, 7, $2)`,
      [OTHER, SAFE],
    );
    const row = () =>
      books.sql('SELECT state::text, settled_block::int, tx_hash, gas_cost::text FROM billing.payout');
    await store.settled(PAYOUT, OTHER, { txHash: signed.hash, gasCost: 42n });
    expect(await row()).toMatchObject([{ state: 'signed' }]);
    await store.settled(PAYOUT, SAFE, { txHash: signed.hash, gasCost: 42n });
    await store.settled(PAYOUT, SAFE, {});
    expect(await row()).toEqual([
      { state: 'settled', settled_block: 7, tx_hash: signed.hash, gas_cost: '42' },
    ]);
  });

  it('knows everybody who may have been paid, and who was since a block', async () => {
    await books.sql(`
      INSERT INTO billing.provider_released (provider, released) VALUES ('0xreleased', 2);
      INSERT INTO billing.provider_paid (provider, paid_safe) VALUES ('0xbooked', 1);
      INSERT INTO billing.settlement_event (block_hash, log_index, block_number, tx_hash, kind, batch_id, wallet, amount)
      SELECT '${SAFE}', nth, block, '${SAFE}', kind, batch_id, wallet, 1
      FROM (VALUES (1, 5, 'paid', NULL, '0xbefore'), (2, 6, 'paid', NULL, '0xsince'), (3, 6, 'paid', NULL, '0xsince'),
                   (4, 6, 'pulled', '${OTHER}', '0xpayer')) AS e (nth, block, kind, batch_id, wallet)`);
    expect(await store.providers()).toEqual(['0xbefore', '0xbooked', '0xreleased', '0xsince']);
    expect(await store.paidSince(5)).toEqual(['0xsince']);
  });

  it('has no line for who earned nothing, or nothing any more', async () => {
    await books.sql(
      `INSERT INTO billing.provider_released (provider, released) VALUES ($1, 2), ('0xnone', 0)`,
      [PROVIDER],
    );
    expect(await store.earnings()).toEqual([{ provider: PROVIDER, cumulative: 2n }]);
  });
});
