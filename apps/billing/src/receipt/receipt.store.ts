import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { receiptLeaf } from '@svc/contracts-evm';
import type { Receipt } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../database/rests';
import { DATABASE } from '../database/tokens';
import { chooseReceipts, sumOf } from './receipt-choice';
import type { ReceiptPart, Waiting, WaitingReceipt } from './receipt-choice';
import { receiptOf } from './receipt-row';
import type { ReceiptRow } from './receipt-row';

/** A leaf of a due's tree, and whose it is. */
interface TreeLeaf {
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

interface WaitingRow extends WaitingReceipt {
  readonly list: 'charges' | 'free' | 'given';
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
  async ofDue(wallet: string, batchId: string): Promise<ReceiptLeaf[]> {
    return leavesOf(
      await this.rows(
        Prisma.sql`SELECT * FROM billing.receipt WHERE wallet = ${wallet} AND batch_id = ${batchId}`,
      ),
    );
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
      Prisma.sql`SELECT * FROM billing.receipt
                 WHERE wallet = ${wallet} AND receipt_id = ${receiptId} AND kind = ${kind}`,
    );
    return row;
  }

  /** However much waits, no more is read than `most` of each kind, and for the sums only if something was given back. */
  private async waiting(wallet: string, most: number): Promise<Waiting> {
    const waits = Prisma.sql`wallet = ${wallet} AND batch_id IS NULL`;
    // One charge more than a due takes, which tells that more is owed.
    const rows = await this.prisma.$queryRaw<WaitingRow[]>`
      WITH waiting AS NOT MATERIALIZED (
        SELECT receipt_id AS id, kind, amount, parts, created_at FROM billing.receipt WHERE ${waits}
      ), listed AS (
        (SELECT 'charges' AS list, * FROM waiting WHERE amount > 0 ORDER BY created_at, id LIMIT ${most + 1})
        UNION ALL
        (SELECT 'free', * FROM waiting WHERE amount = 0 ORDER BY created_at, id LIMIT ${most})
        UNION ALL
        (SELECT 'given', * FROM waiting WHERE amount < 0 ORDER BY amount, created_at, id LIMIT ${most})
      )
      SELECT list, id, kind, amount, parts FROM listed ORDER BY list, created_at, id`;
    const listed = (list: WaitingRow['list']) => rows.filter((row) => row.list === list);
    const charges = listed('charges');
    const given = listed('given').sort((one, other) => Number(one.amount - other.amount));
    // Read after the lists, of which only this adds to a batch: what is listed is among what is added up.
    const [sum, charged] = given.length > 0 ? await this.sumsOf(waits) : [sumOf(charges), sumOf(charges)];
    // Read last of all: what is given back while receipts are read has no receipt among them.
    const left = await this.leftToAsk(wallet);
    return { owed: left < sum ? left : sum, charged, charges, free: listed('free'), given };
  }

  /**
   * What the ledger says that a wallet owes beyond its last due. Its receipts add up to that once all are made; until then a refund's may be
   * missing where its charge's is there.
   */
  private async leftToAsk(wallet: string): Promise<bigint> {
    const [row] = await this.prisma.$queryRaw<{ left: bigint }[]>`
      SELECT w.posted - w.credited - coalesce((SELECT d.cumulative FROM billing.settlement_due d WHERE d.wallet = w.wallet
                                               ORDER BY d.seq DESC LIMIT 1), 0) AS "left"
      FROM billing.wallet w WHERE w.wallet = ${wallet}`;
    return row?.left ?? 0n;
  }

  /** What all that waits adds up to, and the charges among it alone. */
  private async sumsOf(waits: Prisma.Sql): Promise<readonly [owed: bigint, charged: bigint]> {
    const [row] = await this.prisma.$queryRaw<{ owed: string; charged: string }[]>`
      SELECT coalesce(sum(amount), 0)::text AS owed, coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::text AS charged
      FROM billing.receipt WHERE ${waits}`;
    return [BigInt(row?.owed ?? 0), BigInt(row?.charged ?? 0)];
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
        SELECT r.* FROM unnest(${piece.map(({ id }) => id)}::text[], ${piece.map(({ kind }) => kind)}::text[]) AS chosen (id, kind)
        CROSS JOIN LATERAL (
          SELECT * FROM billing.receipt o
          WHERE o.wallet = ${wallet} AND o.receipt_id = chosen.id AND o.kind = chosen.kind
          OFFSET 0
        ) r WHERE r.batch_id IS NULL`);
      leaves.push(...(await leavesOf(part ? rows.map((row) => withoutRest(row, part)) : rows)));
    });
    return leaves.sort(inTreeOrder);
  }

  /**
   * OFFSET 0, here and in `receipts`, keeps each lookup a lookup of one row by its key: a planner that was told of few rows reads all that
   * a wallet has, for each of them.
   */
  private rows(receipts: Prisma.Sql): Promise<ReceiptRow[]> {
    return this.prisma.$queryRaw<ReceiptRow[]>`
      SELECT r.wallet, r.receipt_id, r.kind, r.amount::text, r.batch_id,
             to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created_at,
             u.key_id, u.model, u.provider, u.offer_id, u.input_price_per_mtok::text, u.output_price_per_mtok::text,
             u.prompt_tokens, u.completion_tokens, u.token_source, u.attempts::integer, u.finish_reason,
             u.held::text, c.reason
      FROM (${receipts} OFFSET 0) r
      LEFT JOIN LATERAL (
        SELECT * FROM billing.usage_record o WHERE r.kind = 'usage' AND o.wallet = r.wallet AND o.hold_id = r.receipt_id
        OFFSET 0
      ) u ON true
      LEFT JOIN LATERAL (
        -- In the collation of the credit's kind: its key is found by no other.
        SELECT * FROM billing.credit o
        WHERE r.kind <> 'usage' AND o.wallet = r.wallet AND o.kind = r.kind COLLATE "default"
          AND o.credit_id = coalesce(r.part_of, r.receipt_id)
        OFFSET 0
      ) c ON true
      ${LEAF_ORDER}`;
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
