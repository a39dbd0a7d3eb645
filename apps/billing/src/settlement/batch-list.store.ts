import { Inject, Injectable } from '@nestjs/common';
import type { BatchDue, BatchSummary, BatchView, ChainJobState } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { readSummaries, readTransactions } from './batch-summary';

interface DueRow {
  wallet: string;
  previous: string;
  cumulative: string;
  payer_root: string;
  pulled: string;
  failed: boolean;
}

/** Figures of settlement as a whole, base units. */
export interface SettlementFigures {
  readonly unsettled: bigint;
  readonly unbatched: number;
  readonly wallets: number;
  readonly suspendedWallets: number;
  readonly failedWallets: number;
  readonly gasSpent: string;
  /** What whoever signs now last offered for a unit of gas beyond the base fee, wei; the dearest, "0" before the first. */
  readonly gasTip: string;
  /** Batches by state. */
  readonly batches: Readonly<Partial<Record<ChainJobState, number>>>;
  /** Of the oldest batch that is not settled; 0 without one. */
  readonly batchAgeMs: number;
  readonly reconciledAt: Date | null;
  readonly fullyReconciledAt: Date | null;
}

/** Counting all of very many would cost more than it tells. */
const MOST_COUNTED = 100_000;

/** Reads batches for those who look after settlement. */
@Injectable()
export class BatchListStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** The newest first, from the one after `before` on. */
  async page(limit: number, before: string | undefined): Promise<BatchSummary[]> {
    const from =
      before === undefined
        ? Prisma.empty
        : Prisma.sql`WHERE (b.created_at, b.batch_id) < (SELECT created_at, batch_id FROM billing.settlement_batch
                                                         WHERE batch_id = ${before})`;
    const order = Prisma.sql`ORDER BY b.created_at DESC, b.batch_id DESC LIMIT ${limit}`;
    return readSummaries(this.prisma, Prisma.sql`${from} ${order}`);
  }

  async find(batchId: string): Promise<BatchView | undefined> {
    const [batch] = await readSummaries(this.prisma, Prisma.sql`WHERE b.batch_id = ${batchId}`);
    if (!batch) return undefined;
    const [dues, transactions] = await Promise.all([
      this.dues(batchId),
      readTransactions(this.prisma, batchId),
    ]);
    return { ...batch, lines: dues.map(lineOf), transactions };
  }

  async figures(): Promise<SettlementFigures> {
    const [row] = await this.prisma.$queryRaw<
      {
        unsettled: string;
        wallets: bigint;
        suspended: bigint;
        failed: bigint;
        unbatched: bigint;
        gas: string;
        tip: string;
        batches: Partial<Record<ChainJobState, number>> | null;
        age_ms: number;
        reconciled_at: Date | null;
        fully_at: Date | null;
      }[]
    >`
      SELECT w.*,
             (SELECT count(*) FROM (SELECT FROM billing.receipt WHERE batch_id IS NULL LIMIT ${MOST_COUNTED}) counted)
               AS unbatched,
             (SELECT coalesce(sum(gas_cost), 0)::text FROM (
                SELECT gas_cost FROM billing.settlement_batch UNION ALL SELECT gas_cost FROM billing.payout) spent) AS gas,
             (SELECT coalesce(max(t.tip), 0)::text FROM billing.signer_lease l CROSS JOIN LATERAL (
                SELECT s.max_priority_fee_per_gas AS tip FROM billing.chain_transaction s WHERE s.signer = l.signer
                ORDER BY s.nonce DESC, s.seq DESC LIMIT 1) t WHERE l.lease_until > clock_timestamp()) AS tip,
             (SELECT json_object_agg(state, count) FROM (
                SELECT state::text, count(*) FROM billing.settlement_batch GROUP BY state) counted) AS batches,
             (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)) * 1000, 0)::float8
              FROM billing.settlement_batch WHERE state <> 'settled') AS age_ms,
             (SELECT max(finished_at) FROM billing.reconciliation) AS reconciled_at,
             (SELECT finished_at FROM billing.reconciliation WHERE kind = 'full') AS fully_at
      FROM (SELECT coalesce(sum(posted - credited - settled_safe), 0)::text AS unsettled, count(*) AS wallets,
                   count(*) FILTER (WHERE suspended_at IS NOT NULL) AS suspended,
                   count(*) FILTER (WHERE pull_failed_at IS NOT NULL) AS failed
            FROM billing.wallet) w`;
    if (!row) throw new Error('no figures');
    return {
      unsettled: BigInt(row.unsettled),
      unbatched: Number(row.unbatched),
      wallets: Number(row.wallets),
      suspendedWallets: Number(row.suspended),
      failedWallets: Number(row.failed),
      gasSpent: row.gas,
      gasTip: row.tip,
      batches: row.batches ?? {},
      batchAgeMs: row.age_ms,
      reconciledAt: row.reconciled_at,
      fullyReconciledAt: row.fully_at,
    };
  }

  private dues(batchId: string): Promise<DueRow[]> {
    return this.prisma.$queryRaw<DueRow[]>`
      SELECT d.wallet, d.previous::text, d.cumulative::text, d.payer_root,
             coalesce(sum(e.amount) FILTER (WHERE e.kind = 'pulled'), 0)::text AS pulled,
             coalesce(bool_or(e.kind = 'pull_failed'), false) AS failed
      FROM billing.settlement_due d
      LEFT JOIN billing.settlement_event e ON e.batch_id = d.batch_id AND e.wallet = d.wallet
      WHERE d.batch_id = ${batchId} GROUP BY d.wallet, d.seq ORDER BY d.position`;
  }
}

function lineOf({ payer_root, ...row }: DueRow): BatchDue {
  return { ...row, payerRoot: payer_root };
}
