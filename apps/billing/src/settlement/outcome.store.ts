import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** What is written of a batch that is done. */
export interface BatchOutcome {
  /** Pulls failed for a reason that is no payer's. */
  readonly excused: boolean;
  readonly txHash: string | undefined;
  /** Wei. */
  readonly gasCost: bigint | undefined;
}

/** What the chain made of batches, and what follows for wallets. */
@Injectable()
export class OutcomeStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** The chain's head shows it. */
  async mined(batchId: string): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE billing.settlement_batch SET state = 'mined' WHERE batch_id = ${batchId} AND state = 'signed'`;
  }

  /** The chain's head no longer shows it. */
  async reopen(batchId: string): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE billing.settlement_batch SET state = 'signed' WHERE batch_id = ${batchId} AND state = 'mined'`;
  }

  /** The block in which a pull of the batch failed, by hash; undefined when none did. */
  async failureBlock(batchId: string): Promise<string | undefined> {
    const [row] = await this.prisma.$queryRaw<{ block_hash: string }[]>`
      SELECT block_hash FROM billing.settlement_event
      WHERE batch_id = ${batchId} AND kind = 'pull_failed' ORDER BY block_number DESC LIMIT 1`;
    return row?.block_hash;
  }

  /** The first transaction on chain that did the batch. */
  async transactionOf(batchId: string): Promise<string | undefined> {
    const [row] = await this.prisma.$queryRaw<{ tx_hash: string }[]>`
      SELECT tx_hash FROM billing.settlement_event
      WHERE batch_id = ${batchId} AND kind = 'batch_settled' ORDER BY block_number, log_index LIMIT 1`;
    return row?.tx_hash;
  }

  /** The safe depth shows it. @returns false when the chain's view has moved on from `safeHash` meanwhile */
  async settled(batchId: string, safeHash: string, outcome: BatchOutcome): Promise<boolean> {
    const written = await this.prisma.$executeRaw`
      UPDATE billing.settlement_batch b
      SET state = 'settled', settled_at = now(), settled_block = p.safe_number, excused = ${outcome.excused},
          tx_hash = coalesce(${outcome.txHash ?? null}, b.tx_hash),
          gas_cost = coalesce(${outcome.gasCost === undefined ? null : String(outcome.gasCost)}::numeric, b.gas_cost)
      FROM billing.chain_position p
      WHERE b.batch_id = ${batchId} AND p.safe_hash = ${safeHash}`;
    return written > 0;
  }

  /**
   * Suspends wallets that a settled batch could not be collected from, though neither a cap nor a stopped token or
   * contract was in the way: their balance or approval at the safe depth does not cover what is left, or the token refused
   * them. @returns them
   */
  async suspendUnpaid(): Promise<string[]> {
    const rows = await this.prisma.$queryRaw<{ wallet: string }[]>`
      UPDATE billing.wallet w SET pull_failed_at = now()
      FROM (
        SELECT k.wallet FROM billing.wallet k
        JOIN LATERAL (SELECT * FROM billing.settlement_due d WHERE d.wallet = k.wallet
                      ORDER BY d.seq DESC LIMIT 1) d ON d.cumulative > k.settled_safe
        JOIN billing.settlement_batch b ON b.batch_id = d.batch_id AND b.state = 'settled'
        WHERE k.pull_failed_at IS NULL AND k.posted > k.settled_safe
          AND (k.limit_safe < d.cumulative - k.settled_safe
               OR (NOT b.excused
                   AND EXISTS (SELECT FROM billing.settlement_event e
                               WHERE e.batch_id = d.batch_id AND e.wallet = k.wallet AND e.kind = 'pull_failed')))
        ORDER BY k.wallet FOR NO KEY UPDATE OF k
      ) failed
      WHERE w.wallet = failed.wallet RETURNING w.wallet`;
    return rows.map(({ wallet }) => wallet);
  }

  /** Lifts that from wallets which are whole again at the safe depth; an operator's suspension stays. @returns them */
  async liftPaid(): Promise<string[]> {
    const rows = await this.prisma.$queryRaw<{ wallet: string }[]>`
      UPDATE billing.wallet w SET pull_failed_at = NULL
      FROM (
        SELECT k.wallet FROM billing.wallet k
        JOIN LATERAL (SELECT d.cumulative FROM billing.settlement_due d WHERE d.wallet = k.wallet
                      ORDER BY d.seq DESC LIMIT 1) d ON d.cumulative <= k.settled_safe
        WHERE k.pull_failed_at IS NOT NULL ORDER BY k.wallet FOR NO KEY UPDATE OF k
      ) whole
      WHERE w.wallet = whole.wallet RETURNING w.wallet`;
    return rows.map(({ wallet }) => wallet);
  }
}
