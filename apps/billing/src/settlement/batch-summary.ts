import type { BatchSummary, BatchTransaction } from '@svc/contracts';
import type { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';

interface SummaryRow {
  batch_id: string;
  state: BatchSummary['state'];
  root: string;
  dues: number;
  receipts: number;
  amount: string;
  pulled: string;
  failed: number;
  created_at: Date;
  settled_at: Date | null;
  tx_hash: string | null;
  gas_cost: string | null;
}

interface TransactionRow {
  tx_hash: string;
  nonce: string;
  max_fee_per_gas: string;
  signed_at: Date;
  broadcast: boolean;
}

/**
 * OFFSET 0, like a LIMIT in `rest`: the batches are chosen before anything is looked up of them.
 * @param rest what follows FROM `billing.settlement_batch b`
 */
export async function readSummaries(prisma: PrismaClient, rest: Prisma.Sql): Promise<BatchSummary[]> {
  const rows = await prisma.$queryRaw<SummaryRow[]>`
    SELECT b.batch_id, b.state::text, b.root, b.dues, b.receipts, b.amount::text, b.created_at, b.settled_at,
           coalesce(e.pulled, 0)::text AS pulled, coalesce(e.failed, 0)::integer AS failed, b.gas_cost::text,
           coalesce(b.tx_hash, e.tx_hash, t.tx_hash) AS tx_hash
    FROM (SELECT * FROM billing.settlement_batch b ${rest} OFFSET 0) b
    LEFT JOIN LATERAL (
      SELECT sum(amount) FILTER (WHERE kind = 'pulled') AS pulled, count(*) FILTER (WHERE kind = 'pull_failed') AS failed,
             min(tx_hash) FILTER (WHERE kind = 'batch_settled') AS tx_hash
      FROM billing.settlement_event e WHERE e.batch_id = b.batch_id) e ON true
    LEFT JOIN LATERAL (
      SELECT tx_hash FROM billing.chain_transaction t WHERE t.job_id = b.batch_id
      ORDER BY seq DESC LIMIT 1) t ON true
    ORDER BY b.created_at DESC, b.batch_id DESC`;
  return rows.map(summaryOf);
}

/** Every transaction signed for a batch, the oldest first. */
export async function readTransactions(prisma: PrismaClient, batchId: string): Promise<BatchTransaction[]> {
  const rows = await prisma.$queryRaw<TransactionRow[]>`
    SELECT tx_hash, nonce::text, max_fee_per_gas::text, signed_at, broadcast_at IS NOT NULL AS broadcast
    FROM billing.chain_transaction WHERE job_id = ${batchId} ORDER BY seq`;
  return rows.map((row) => ({
    txHash: row.tx_hash,
    nonce: row.nonce,
    maxFeePerGas: row.max_fee_per_gas,
    signedAt: row.signed_at.toISOString(),
    broadcast: row.broadcast,
  }));
}

function summaryOf(row: SummaryRow): BatchSummary {
  return {
    batchId: row.batch_id,
    state: row.state,
    root: row.root,
    dues: row.dues,
    receipts: row.receipts,
    amount: row.amount,
    pulled: row.pulled,
    failedPulls: row.failed,
    createdAt: row.created_at.toISOString(),
    settledAt: row.settled_at?.toISOString() ?? null,
    txHash: row.tx_hash,
    gasCost: row.gas_cost,
  };
}
