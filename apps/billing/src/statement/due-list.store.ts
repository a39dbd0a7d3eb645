import { Injectable } from '@nestjs/common';
import type { BatchDue, BatchSummary, BatchTransaction, DueReceipt, ReceiptKind } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import { readSummaries, readTransactions } from '../settlement/batch-summary';
import { allOf, timeText } from './sql-fragments';
import { StatementDatabase } from './statement-database';

interface DueRow {
  batch_id: string;
  wallet: string;
  previous: string;
  cumulative: string;
  payer_root: string;
  pulled: string;
  failed: boolean;
  receipts: number;
}

interface CollectedRow {
  kind: ReceiptKind;
  receipt_id: string;
  created_at: string;
  amount: string;
  model: string | null;
}

/** A wallet's line, and in which batch. */
export interface DueLine {
  readonly batchId: string;
  readonly line: BatchDue;
  readonly receipts: number;
}

/** Reads the lines of one wallet in batches. */
@Injectable()
export class DueListStore {
  constructor(private readonly database: StatementDatabase) {}

  /** At most `most` lines, the newest first, from the one after batch `before` on. */
  async page(wallet: string, before: string | undefined, most: number): Promise<DueLine[]> {
    const beyond =
      before === undefined
        ? undefined
        : Prisma.sql`d.seq < (SELECT seq FROM billing.settlement_due WHERE wallet = ${wallet} AND batch_id = ${before})`;
    const where = allOf([Prisma.sql`d.wallet = ${wallet}`, beyond]);
    return this.lines(Prisma.sql`WHERE ${where} ORDER BY d.seq DESC LIMIT ${most}`);
  }

  async find(wallet: string, batchId: string): Promise<DueLine | undefined> {
    const [line] = await this.lines(Prisma.sql`WHERE d.wallet = ${wallet} AND d.batch_id = ${batchId}`);
    return line;
  }

  async batches(batchIds: readonly string[]): Promise<Map<string, BatchSummary>> {
    const batches = await readSummaries(
      this.database.prisma,
      Prisma.sql`WHERE b.batch_id = ANY (${[...batchIds]}::text[])`,
    );
    return new Map(batches.map((batch) => [batch.batchId, batch]));
  }

  transactions(batchId: string): Promise<BatchTransaction[]> {
    return readTransactions(this.database.prisma, batchId);
  }

  /** What a line collects, in the order of its tree, beginning after `after` (time, id, kind). */
  async collected(
    wallet: string,
    batchId: string,
    after: readonly string[] | undefined,
    most: number,
  ): Promise<DueReceipt[]> {
    const beyond =
      after &&
      Prisma.sql`(r.created_at, r.receipt_id, r.kind) > (${after[0]}::timestamptz, ${after[1]}, ${after[2]})`;
    const where = allOf([Prisma.sql`r.wallet = ${wallet} AND r.batch_id = ${batchId}`, beyond]);
    const rows = await this.database.prisma.$queryRaw<CollectedRow[]>`
      SELECT r.kind, r.receipt_id, ${timeText(Prisma.sql`r.created_at`)} AS created_at, r.amount::text, u.model
      FROM billing.receipt r
      LEFT JOIN billing.usage_record u ON r.kind = 'usage' AND u.wallet = r.wallet AND u.hold_id = r.receipt_id
      WHERE ${where}
      ORDER BY r.created_at, r.receipt_id COLLATE "C", r.kind COLLATE "C" LIMIT ${most}`;
    return rows.map(({ receipt_id: id, created_at: createdAt, ...row }) => ({ id, createdAt, ...row }));
  }

  private async lines(rest: Prisma.Sql): Promise<DueLine[]> {
    const rows = await this.database.prisma.$queryRaw<DueRow[]>`
      SELECT d.batch_id, d.wallet, d.previous::text, d.cumulative::text, d.payer_root,
             coalesce(e.pulled, 0)::text AS pulled, coalesce(e.failed, false) AS failed,
             (SELECT count(*) FROM billing.receipt r
              WHERE r.batch_id = d.batch_id AND r.wallet = d.wallet)::integer AS receipts
      FROM billing.settlement_due d
      LEFT JOIN LATERAL (
        SELECT sum(amount) FILTER (WHERE kind = 'pulled') AS pulled, bool_or(kind = 'pull_failed') AS failed
        FROM billing.settlement_event e WHERE e.batch_id = d.batch_id AND e.wallet = d.wallet) e ON true
      ${rest}`;
    return rows.map(({ batch_id: batchId, receipts, payer_root: payerRoot, ...line }) => ({
      batchId,
      line: { ...line, payerRoot },
      receipts,
    }));
  }
}
