import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { receiptLeaf } from '@svc/contracts-evm';
import type { Receipt } from '@svc/contracts-evm';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { receiptOf } from './receipt-row';
import type { ReceiptRow } from './receipt-row';

/** A receipt and its leaf in its due's tree. */
export interface ReceiptLeaf {
  readonly receipt: Receipt;
  /** What it adds to what the wallet owes, base units; negative for refunds and credits. */
  readonly amount: bigint;
  readonly leaf: string;
}

/** A leaf of a due's tree, and whose it is. */
export interface TreeLeaf {
  readonly id: string;
  readonly kind: Receipt['type'];
  readonly leaf: string;
}

/** Hashing one takes some 0.1 ms: this many, then others have their turn. */
const LEAVES_PER_TURN = 32;

/** The order of a due's tree, for good. */
const LEAF_ORDER = Prisma.sql`ORDER BY r.created_at, r.receipt_id COLLATE "C", r.kind COLLATE "C"`;

/** Loads receipts in the form in which they are shown and hashed. */
@Injectable()
export class ReceiptStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** The receipts that a wallet's due in a batch collects, in the order of their tree; empty when it collects none. */
  ofDue(wallet: string, batchId: string): Promise<ReceiptLeaf[]> {
    return this.load(Prisma.sql`r.wallet = ${wallet} AND r.batch_id = ${batchId}`);
  }

  /** The leaves of a due's tree, in its order, as they were stored with the batch. */
  async treeOf(wallet: string, batchId: string): Promise<TreeLeaf[]> {
    const rows = await this.prisma.$queryRaw<(Omit<TreeLeaf, 'leaf'> & { leaf: string | null })[]>`
      SELECT r.receipt_id AS id, r.kind, '0x' || encode(r.leaf, 'hex') AS leaf
      FROM billing.receipt r WHERE r.wallet = ${wallet} AND r.batch_id = ${batchId} ${LEAF_ORDER}`;
    const stored = rows.filter((row): row is TreeLeaf => row.leaf !== null);
    if (stored.length === rows.length) return stored;
    const leaves = await this.ofDue(wallet, batchId);
    return leaves.map(({ receipt, leaf }) => ({ id: receipt.id, kind: receipt.type, leaf }));
  }

  /**
   * Receipts that no batch collects yet, credits first, then the oldest: at most `most`, or as many more as it takes for
   * their sum to be above 0. In the order that their tree will have. Empty when no such sum is.
   */
  unbatched(wallet: string, most: number): Promise<ReceiptLeaf[]> {
    return this.load(Prisma.sql`
      (r.wallet, r.receipt_id, r.kind) IN (
        SELECT wallet, receipt_id, kind FROM (
          SELECT *, min(place) FILTER (WHERE owed > 0) OVER () AS first_positive
          FROM (
            SELECT wallet, receipt_id, kind, row_number() OVER in_turn AS place, sum(amount) OVER in_turn AS owed
            FROM billing.receipt WHERE wallet = ${wallet} AND batch_id IS NULL
            WINDOW in_turn AS (ORDER BY amount >= 0, created_at, receipt_id, kind ROWS UNBOUNDED PRECEDING)
          ) one_by_one
        ) counted
        WHERE place <= greatest(first_positive, ${most})
      )`);
  }

  /** One receipt; undefined when there is none (yet: it is made shortly after the charge). */
  async find(wallet: string, receiptId: string, kind: Receipt['type']): Promise<ReceiptRow | undefined> {
    const [row] = await this.rows(
      Prisma.sql`r.wallet = ${wallet} AND r.receipt_id = ${receiptId} AND r.kind = ${kind}`,
    );
    return row;
  }

  private async load(where: Prisma.Sql): Promise<ReceiptLeaf[]> {
    const leaves: ReceiptLeaf[] = [];
    for (const row of await this.rows(where)) {
      const receipt = receiptOf(row);
      leaves.push({ receipt, amount: BigInt(row.amount), leaf: receiptLeaf(receipt) });
      if (leaves.length % LEAVES_PER_TURN === 0) await setImmediate();
    }
    return leaves;
  }

  private rows(where: Prisma.Sql): Promise<ReceiptRow[]> {
    return this.prisma.$queryRaw<ReceiptRow[]>`
      SELECT r.wallet, r.receipt_id, r.kind, r.amount::text, r.batch_id,
             to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
             u.key_id, u.model, u.provider, u.offer_id, u.input_price_per_mtok::text, u.output_price_per_mtok::text,
             u.prompt_tokens, u.completion_tokens, u.token_source, u.attempts::integer, u.finish_reason,
             u.held::text, c.reason
      FROM billing.receipt r
      LEFT JOIN billing.usage_record u ON r.kind = 'usage' AND u.wallet = r.wallet AND u.hold_id = r.receipt_id
      LEFT JOIN billing.credit c ON c.wallet = r.wallet AND c.credit_id = r.receipt_id AND c.kind = r.kind
      WHERE ${where} ${LEAF_ORDER}`;
  }
}
