import { createPrismaClient } from '@svc/persistence';
import { rowsRead } from '../../database/rows-read.for-spec';
import { startTestLedger } from '../../ledger/ledger.for-spec';
import { TransactionStore } from './transaction.store';

const SIGNED = 400;
const wordOf = (nth: number) => `0x${nth.toString(16).padStart(64, '0')}`;

it('the last that an account signed for a job is read without those before it', async () => {
  const books = await startTestLedger();
  const prisma = createPrismaClient(books.database.billingUrl, { maxConnections: 1 });
  try {
    // Of two signers in turn; the other one signed the last.
    await books.sql(
      `INSERT INTO billing.chain_transaction
         (tx_hash, job_id, signer, nonce, gas_limit, max_fee_per_gas, max_priority_fee_per_gas, raw, signed_at)
       SELECT '0x' || lpad(to_hex(n), 64, '0'), $1, 'signer-' || n % 2, n, 100, 7, 3, '0x00', now() - (1000 - n) * interval '1 second'
       FROM generate_series(1, ${SIGNED}) n`,
      [wordOf(1)],
    );
    await books.sql('ANALYZE billing.chain_transaction');
    const store = new TransactionStore(prisma, undefined as never);
    const [latest, read] = await rowsRead(prisma, () => store.latest(wordOf(1), 'signer-1'));
    expect(latest).toMatchObject({
      hash: wordOf(SIGNED - 1),
      nonce: SIGNED - 1,
      gasLimit: 100n,
      fees: { maxFeePerGas: 7n, maxPriorityFeePerGas: 3n },
    });
    expect(latest).toEqual({ ...(await store.of(wordOf(1))).at(-2), ageMs: latest?.ageMs });
    expect(read).toBeLessThan(20);
    expect(await store.latest(wordOf(2), 'signer-1')).toBeUndefined();
  } finally {
    await prisma.$disconnect();
    await books.close();
  }
});
