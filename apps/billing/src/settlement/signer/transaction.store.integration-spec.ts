import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { rowsRead } from '../../database/rows-read.for-spec';
import { startTestLedger } from '../../ledger/ledger.for-spec';
import type { TestLedger } from '../../ledger/ledger.for-spec';
import { PauseStore, SettlementPausedError } from '../pause.store';
import type { Signed } from './signer-account';
import type { SignerLeaseStore } from './signer-lease.store';
import { TransactionStore } from './transaction.store';

const SIGNED = 400;
const wordOf = (nth: number) => `0x${nth.toString(16).padStart(64, '0')}`;
const JOB = wordOf(1);

let books: TestLedger;
let prisma: PrismaClient;
let pauses: PauseStore;
let store: TransactionStore;

beforeEach(async () => {
  books = await startTestLedger();
  prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
  const leases: Partial<SignerLeaseStore> = { require: () => Promise.resolve() };
  pauses = new PauseStore(prisma);
  store = new TransactionStore(prisma, leases as SignerLeaseStore, pauses);
});
afterEach(async () => {
  await prisma.$disconnect();
  await books.close();
});

function signedAs(nth: number, signer = 'signer-1'): Signed {
  return {
    to: JOB,
    data: '0x',
    signer,
    hash: wordOf(nth),
    raw: '0x00',
    nonce: 0,
    gasLimit: 100n,
    fees: { maxFeePerGas: 7n, maxPriorityFeePerGas: 3n },
  };
}

const tomorrow = () => books.sql(`UPDATE billing.chain_transaction SET signed_at = now() + interval '1 day'`);

it('none is kept, and so none is sent, that was signed anew or raised while somebody paused settlement', async () => {
  await store.addAlone(JOB, signedAs(1));
  await pauses.pause('the test says so', 'tester');
  await expect(store.addAlone(JOB, signedAs(2))).rejects.toThrow(SettlementPausedError);
  await expect(store.addAlone(JOB, signedAs(1))).rejects.toThrow(SettlementPausedError);
  expect((await store.of(JOB)).map(({ hash }) => hash)).toEqual([wordOf(1)]);
  await pauses.resume('the test says so', 'tester');
  await store.addAlone(JOB, signedAs(2));
  expect(await store.latest(JOB, 'signer-1')).toMatchObject({ hash: wordOf(2) });
});

it('none goes out that was kept before somebody paused settlement', async () => {
  const broadcast = () =>
    books.sql<{ out: boolean }>('SELECT broadcast_at IS NOT NULL AS out FROM billing.chain_transaction');
  await store.addAlone(JOB, signedAs(1));
  await pauses.pause('the test says so', 'tester');
  await expect(store.markBroadcast(wordOf(1))).rejects.toThrow(SettlementPausedError);
  expect(await broadcast()).toEqual([{ out: false }]);
  await pauses.resume('the test says so', 'tester');
  await store.markBroadcast(wordOf(1));
  await store.markBroadcast(wordOf(1));
  expect(await broadcast()).toEqual([{ out: true }]);
});

it('the last that an account signed for a job is read without those before it', async () => {
  // Of two signers in turn; the other one signed the last.
  await books.sql(
    `INSERT INTO billing.chain_transaction
       (tx_hash, job_id, signer, nonce, gas_limit, max_fee_per_gas, max_priority_fee_per_gas, raw, signed_at)
     SELECT '0x' || lpad(to_hex(n), 64, '0'), $1, 'signer-' || n % 2, n, 100, 7, 3, '0x00', now() - (1000 - n) * interval '1 second'
     FROM generate_series(1, ${SIGNED}) n`,
    [JOB],
  );
  await books.sql('ANALYZE billing.chain_transaction');
  const [latest, read] = await rowsRead(prisma, () => store.latest(JOB, 'signer-1'));
  expect(latest).toMatchObject({
    hash: wordOf(SIGNED - 1),
    nonce: SIGNED - 1,
    gasLimit: 100n,
    fees: { maxFeePerGas: 7n, maxPriorityFeePerGas: 3n },
  });
  expect(latest).toEqual({ ...(await store.of(JOB)).at(-2), ageMs: latest?.ageMs });
  expect(read).toBeLessThan(20);
  expect(await store.latest(wordOf(2), 'signer-1')).toBeUndefined();
});

it('the last is what was signed last, and not what a clock dated that was set back since', async () => {
  await store.addAlone(JOB, signedAs(1));
  await tomorrow();
  await store.addAlone(JOB, signedAs(2));
  expect(await store.latest(JOB, 'signer-1')).toMatchObject({ hash: wordOf(2) });
  // The same bytes once more.
  await store.addAlone(JOB, signedAs(1));
  expect(await store.latest(JOB, 'signer-1')).toMatchObject({ hash: wordOf(1) });
  expect((await store.of(JOB)).map(({ hash }) => hash)).toEqual([wordOf(2), wordOf(1)]);
});

it('another signer sees to a job for a while after it has signed, as long as its lease stands', async () => {
  const isAnothers = (withinMs = 60_000) => store.isAnothers(JOB, 'signer-1', withinMs);
  await store.addAlone(JOB, signedAs(1, 'signer-2'));
  expect(await isAnothers()).toBe(false);
  await books.sql(
    `INSERT INTO billing.signer_lease VALUES ('signer-2', 'somebody', now() + interval '1 hour')`,
  );
  expect(await isAnothers()).toBe(true);
  expect(await store.isAnothers(JOB, 'signer-2', 60_000)).toBe(false);
  expect(await isAnothers(0)).toBe(false);
  await tomorrow();
  expect(await isAnothers()).toBe(false);
});
