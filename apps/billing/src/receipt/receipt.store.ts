import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { receiptLeaf } from '@svc/contracts-evm';
import type { Receipt } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../database/rests';
import { DATABASE } from '../database/tokens';
import { chooseReceipts } from './receipt-choice';
import type { ReceiptPart, Waiting, WaitingReceipt } from './receipt-choice';
import { receiptOf } from './receipt-row';
import type { ReceiptRow } from './receipt-row';

/** A leaf of a due's tree, and whose it is. */
export interface TreeLeaf {
  readonly id: string;
  readonly kind: Receipt['type'];
  readonly leaf: string;
}

/** A receipt that a due collects. */
export interface ReceiptLeaf extends TreeLeaf {
  /** What it adds to what the wallet owes, base units; negative for refunds and credits. */
  readonly amount: bigint;
}

/** With what its place in the tree goes by. */
interface PlacedLeaf extends ReceiptLeaf {
  readonly createdAt: string;
}

/** What a due collects, in the order of its tree. */
export interface Collection {
  readonly leaves: readonly ReceiptLeaf[];
  /** Among the leaves, and to be split off what it is a part of with the commit of the batch. */
  readonly part?: ReceiptPart;
  /** Whether more is owed that another due could collect. */
  readonly more: boolean;
}

interface WaitingRow {
  list: 'charges' | 'free' | 'given';
  id: string;
  kind: Receipt['type'];
  amount: bigint;
  parts: number;
  owed: string;
  charged: string;
}

/** Read and hashed, some milliseconds; then requests have the processors. */
const LEAVES_PER_PIECE = 200;
/** Hashing one takes some 0.02 ms: this many, then others have their turn. */
const LEAVES_PER_TURN = 32;

/** The order of a due's tree, for good. */
const LEAF_ORDER = Prisma.sql`ORDER BY r.created_at, r.receipt_id COLLATE "C", r.kind COLLATE "C"`;

/** Loads receipts in the form in which they are shown and hashed. */
@Injectable()
export class ReceiptStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly rests: Rests,
  ) {}

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
    return this.ofDue(wallet, batchId);
  }

  /**
   * What the next due of a wallet collects, of at most `most` receipts; undefined when it collects nothing. No more than
   * some `most` rows are read whole, however many wait.
   */
  async unbatched(wallet: string, most: number): Promise<Collection | undefined> {
    const waiting = await this.waiting(wallet, most);
    const choice = chooseReceipts(waiting, most);
    if (!choice) return undefined;
    const { receipts, part, sum } = choice;
    const leaves = await this.leavesOf(wallet, receipts, part);
    const total = leaves.reduce((so, { amount }) => so + amount, 0n);
    if (total !== sum) throw new Error(`receipts of ${wallet} changed while they were read`);
    return { leaves, more: waiting.owed > sum, ...(part ? { part } : {}) };
  }

  /** One receipt; undefined when there is none (yet: it is made shortly after the charge). */
  async find(wallet: string, receiptId: string, kind: Receipt['type']): Promise<ReceiptRow | undefined> {
    const [row] = await this.rows(
      Prisma.sql`r.wallet = ${wallet} AND r.receipt_id = ${receiptId} AND r.kind = ${kind}`,
    );
    return row;
  }

  /** One statement and so one snapshot: what is chosen must go together with the sums. */
  private async waiting(wallet: string, most: number): Promise<Waiting> {
    const rows = await this.prisma.$queryRaw<WaitingRow[]>`
      WITH waiting AS (
        SELECT receipt_id AS id, kind, amount, parts, created_at FROM billing.receipt
        WHERE wallet = ${wallet} AND batch_id IS NULL
      ), sums AS (
        SELECT coalesce(sum(amount), 0)::text AS owed, coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::text AS charged
        FROM waiting
      ), listed AS (
        (SELECT 'charges' AS list, * FROM waiting WHERE amount > 0 ORDER BY created_at, id LIMIT ${most})
        UNION ALL
        (SELECT 'free', * FROM waiting WHERE amount = 0 ORDER BY created_at, id LIMIT ${most})
        UNION ALL
        (SELECT 'given', * FROM waiting WHERE amount < 0 ORDER BY amount, created_at, id LIMIT ${most})
      )
      SELECT list, id, kind, amount, parts, owed, charged FROM listed CROSS JOIN sums ORDER BY list, created_at, id`;
    const listed = (list: WaitingRow['list']) => rows.filter((row) => row.list === list);
    const [first] = rows;
    return {
      owed: BigInt(first?.owed ?? 0),
      charged: BigInt(first?.charged ?? 0),
      charges: listed('charges'),
      free: listed('free'),
      given: listed('given').sort((one, other) => Number(one.amount - other.amount)),
    };
  }

  private async leavesOf(
    wallet: string,
    receipts: readonly WaitingReceipt[],
    part: ReceiptPart | undefined,
  ): Promise<ReceiptLeaf[]> {
    const all = part ? [...receipts, part.of] : receipts;
    const leaves: PlacedLeaf[] = [];
    await this.rests.inPieces(all, LEAVES_PER_PIECE, async (piece) => {
      const rows = await this.rows(Prisma.sql`
        r.wallet = ${wallet} AND r.batch_id IS NULL AND (r.receipt_id, r.kind) IN (
          SELECT * FROM unnest(${piece.map(({ id }) => id)}::text[], ${piece.map(({ kind }) => kind)}::text[]))`);
      leaves.push(...(await leavesOf(part ? rows.map((row) => withoutRest(row, part)) : rows)));
    });
    return leaves.sort(inTreeOrder);
  }

  private async load(where: Prisma.Sql): Promise<ReceiptLeaf[]> {
    return leavesOf(await this.rows(where));
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
      LEFT JOIN billing.credit c ON c.wallet = r.wallet AND c.credit_id = coalesce(r.part_of, r.receipt_id) AND c.kind = r.kind
      WHERE ${where} ${LEAF_ORDER}`;
  }
}

async function leavesOf(rows: readonly ReceiptRow[]): Promise<PlacedLeaf[]> {
  const leaves: PlacedLeaf[] = [];
  for (const row of rows) {
    const { receipt_id: id, kind, created_at: createdAt } = row;
    leaves.push({ id, kind, createdAt, amount: BigInt(row.amount), leaf: receiptLeaf(receiptOf(row)) });
    if (leaves.length % LEAVES_PER_TURN === 0) await setImmediate();
  }
  return leaves;
}

/** The part in the place of what it is a part of, as the database splits it off: see billing.keep_receipt. */
function withoutRest(row: ReceiptRow, { of, number, amount }: ReceiptPart): ReceiptRow {
  if (row.receipt_id !== of.id || row.kind !== of.kind) return row;
  return { ...row, receipt_id: `${row.receipt_id}.${number}`, amount: String(amount) };
}

/** That of LEAF_ORDER. */
function inTreeOrder(one: PlacedLeaf, other: PlacedLeaf): number {
  return (
    compare(one.createdAt, other.createdAt) || compare(one.id, other.id) || compare(one.kind, other.kind)
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
