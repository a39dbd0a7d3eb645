import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** What is written of a batch that is done. */
interface BatchOutcome {
  /** Pulls failed for a reason that is no payer's. */
  readonly excused: boolean;
  readonly txHash: string | undefined;
  /** Wei. */
  readonly gasCost: bigint | undefined;
}

/** What is left of a due of a wallet: what it was asked for, but no more than it still owes, less what was pulled. Both are names in a statement. */
const restOf = (due: string, wallet: string) =>
  Prisma.raw(`(least(${due}.cumulative, ${wallet}.posted - ${wallet}.credited) - ${wallet}.settled_safe)`);

/** The last due of wallet `k`, and what is left of it. */
const REST_OF_LAST_DUE = Prisma.sql`
  JOIN LATERAL (SELECT l.batch_id, l.cumulative, ${restOf('l', 'k')} AS rest
                FROM billing.settlement_due l WHERE l.wallet = k.wallet ORDER BY l.seq DESC LIMIT 1) d`;

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

  /** The last block, up to a safe one, in which a pull of the batch failed, by hash; undefined when none did. */
  async failureBlock(batchId: string, safeNumber: number): Promise<string | undefined> {
    const [row] = await this.prisma.$queryRaw<{ block_hash: string }[]>`
      SELECT block_hash FROM billing.settlement_event
      WHERE batch_id = ${batchId} AND kind = 'pull_failed' AND block_number <= ${safeNumber}
      ORDER BY block_number DESC LIMIT 1`;
    return row?.block_hash;
  }

  /** The first transaction on chain that did the batch. */
  async transactionOf(batchId: string): Promise<string | undefined> {
    const [row] = await this.prisma.$queryRaw<{ tx_hash: string }[]>`
      SELECT tx_hash FROM billing.settlement_event
      WHERE batch_id = ${batchId} AND kind = 'batch_settled' ORDER BY block_number, log_index LIMIT 1`;
    return row?.tx_hash;
  }

  /**
   * The safe depth shows it. Whom it could not collect all of its due from is noted, to be judged.
   * @returns false when the chain's view has moved on from `safeHash` meanwhile
   */
  async settled(batchId: string, safeHash: string, outcome: BatchOutcome): Promise<boolean> {
    // One snapshot: the wallets have the figures of that safe block.
    const written = await this.prisma.$queryRaw<unknown[]>`
      WITH done AS (
        UPDATE billing.settlement_batch b
        SET state = 'settled', settled_at = now(), settled_block = p.safe_number, excused = ${outcome.excused},
            tx_hash = coalesce(${outcome.txHash ?? null}, b.tx_hash),
            gas_cost = coalesce(${outcome.gasCost === undefined ? null : String(outcome.gasCost)}::numeric, b.gas_cost)
        FROM billing.chain_position p
        WHERE b.batch_id = ${batchId} AND p.safe_hash = ${safeHash} RETURNING b.batch_id
      ), short AS (
        INSERT INTO billing.short_wallet (wallet)
        SELECT d.wallet FROM done JOIN billing.settlement_due d USING (batch_id) JOIN billing.wallet w USING (wallet)
        WHERE d.cumulative > w.settled_safe
        ON CONFLICT DO NOTHING
      )
      SELECT batch_id FROM done`;
    return written.length > 0;
  }

  /**
   * Suspends wallets that a settled batch could not be collected from, though neither a cap nor a stopped token or
   * contract was in the way: their balance or approval at the safe depth does not cover what is left, or the token refused
   * them. What was credited or given back since is not left. The token's refusals are those that `excused` was found for: a batch may be
   * mined again, and what failed in another block may have failed for another reason. OFFSET 0 has a batch's events looked up by the batch: a
   * planner that was told nothing also reads all up to a block. What is left is asked of the locked wallet once more: who waits for its
   * lock is shown the wallet as it then is, beside a rest as it was. @returns them
   */
  async suspendUnpaid(): Promise<string[]> {
    const rows = await this.prisma.$queryRaw<{ wallet: string }[]>`
      UPDATE billing.wallet w SET pull_failed_at = now()
      FROM (
        SELECT k.wallet, d.cumulative, r.refused FROM billing.short_wallet s
        JOIN billing.wallet k ON k.wallet = s.wallet
        ${REST_OF_LAST_DUE} ON d.rest > 0
        JOIN billing.settlement_batch b ON b.batch_id = d.batch_id AND b.state = 'settled'
        CROSS JOIN LATERAL (
          SELECT NOT b.excused
                 AND EXISTS (SELECT FROM (SELECT * FROM billing.settlement_event o
                                          WHERE o.batch_id = d.batch_id AND o.wallet = k.wallet OFFSET 0) e
                             WHERE e.kind = 'pull_failed'
                               AND e.block_number = (
                                 SELECT max(l.block_number)
                                 FROM (SELECT * FROM billing.settlement_event o WHERE o.batch_id = d.batch_id OFFSET 0) l
                                 WHERE l.kind = 'pull_failed' AND l.block_number <= b.settled_block)) AS refused) r
        WHERE k.pull_failed_at IS NULL AND (k.limit_safe < d.rest OR r.refused)
        ORDER BY k.wallet FOR NO KEY UPDATE OF k
      ) failed
      WHERE w.wallet = failed.wallet AND ${restOf('failed', 'w')} > 0
        AND (failed.refused OR w.limit_safe < ${restOf('failed', 'w')})
      RETURNING w.wallet`;
    return rows.map(({ wallet }) => wallet);
  }

  /**
   * Lifts that from wallets which are whole: the safe depth shows all that they were asked for, or all that they still owe.
   * An operator's suspension stays. @returns them
   */
  async liftPaid(): Promise<string[]> {
    const rows = await this.prisma.$queryRaw<{ wallet: string }[]>`
      WITH forgotten AS (
        DELETE FROM billing.short_wallet s USING billing.wallet k ${REST_OF_LAST_DUE} ON true
        WHERE k.wallet = s.wallet AND d.rest <= 0
      )
      UPDATE billing.wallet w SET pull_failed_at = NULL
      FROM (
        SELECT k.wallet FROM billing.wallet k ${REST_OF_LAST_DUE} ON d.rest <= 0
        WHERE k.pull_failed_at IS NOT NULL ORDER BY k.wallet FOR NO KEY UPDATE OF k
      ) whole
      WHERE w.wallet = whole.wallet RETURNING w.wallet`;
    return rows.map(({ wallet }) => wallet);
  }
}
