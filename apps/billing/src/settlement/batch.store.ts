import { Inject, Injectable } from '@nestjs/common';
import type { ChainJobState } from '@svc/contracts';
import type { Due } from '@svc/contracts-evm';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { Rests } from '../database/rests';
import { DATABASE } from '../database/tokens';
import type { Candidate, PlannedBatch } from './batch';
import type { Signed } from './signer/signer-account';
import { TransactionStore } from './signer/transaction.store';

/** A batch that the safe depth does not show yet. */
export interface OpenBatch {
  readonly batchId: string;
  readonly state: Exclude<ChainJobState, 'settled'>;
  readonly root: string;
  readonly ageMs: number;
}

/** When a wallet is asked, base units. */
interface AskingTerms {
  readonly most: number;
  /** Of a wallet that could not pay, as the first of longer and longer waits. */
  readonly intervalMs: number;
  /** A new sum below waits for more: to ask for it costs more than it is. */
  readonly leastFresh: bigint;
  /** But no longer than so, … */
  readonly longestWaitMs: number;
  /** … and not where so much is owed in all. */
  readonly urgentFrom: bigint;
}

interface CandidateRow {
  wallet: string;
  seq: number;
  cumulative: bigint;
  fresh: string;
  owed: bigint;
  means: bigint;
  tries: number;
}

interface OpenRow {
  batch_id: string;
  state: OpenBatch['state'];
  root: string;
  age_ms: number;
}

/** With its rests, the largest takes a fifth of this. */
const COMMIT_TIMEOUT_MS = 120_000;
/** Some milliseconds of the database's. */
const RECEIPTS_PER_PIECE = 200;
/** How long after a wallet could not pay it is asked again, at the latest. */
const LONGEST_BACKOFF_MS = 3_600_000;
/** How many times in a row it is asked again without such a pause, in case that it can pay now. */
const RETRIES_AT_ONCE = 3;

@Injectable()
export class BatchStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly transactions: TransactionStore,
    private readonly rests: Rests,
  ) {}

  /** Batches that the safe depth does not show, in the order in which they were made. */
  async open(): Promise<OpenBatch[]> {
    const rows = await this.prisma.$queryRaw<OpenRow[]>`
      SELECT batch_id, state::text, root,
             (extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS age_ms
      FROM billing.settlement_batch WHERE state <> 'settled' ORDER BY created_at, batch_id`;
    return rows.map(({ batch_id, state, root, age_ms }) => ({
      batchId: batch_id,
      state,
      root,
      ageMs: age_ms,
    }));
  }

  /**
   * How long ago the last batch was made; undefined before the first. Those that a clock dated which has been set back since are
   * passed over: the next would wait until it has come so far again.
   */
  async lastAgeMs(): Promise<number | undefined> {
    const [row] = await this.prisma.$queryRaw<{ age_ms: number }[]>`
      SELECT (extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS age_ms
      FROM billing.settlement_batch WHERE created_at <= clock_timestamp() ORDER BY created_at DESC LIMIT 1`;
    return row?.age_ms;
  }

  /** Whether a wallet owes `amount` or more, and of it something that no batch has asked it for. */
  async anyoneOwes(amount: bigint): Promise<boolean> {
    const [row] = await this.prisma.$queryRaw<{ found: boolean }[]>`
      SELECT EXISTS (
        SELECT FROM billing.wallet w
        WHERE w.posted - w.credited - w.settled_safe >= ${amount}
          AND w.posted - w.credited > coalesce((SELECT d.cumulative FROM billing.settlement_due d
                                                WHERE d.wallet = w.wallet ORDER BY d.seq DESC LIMIT 1), 0)
      ) AS found`;
    return row?.found ?? false;
  }

  /**
   * Whom to ask: wallets with receipts that no batch collects and that add up to as much as is asked for at least, or to anything where that
   * has waited for long enough since the last due, and wallets that still owe of their last due and might pay by now: after a rise of their
   * means, a few times at once, else with longer and longer waits. Those that owe most and those that have waited longest take turns, so that
   * neither keeps the others out.
   * What waits is not added up here: it is what a wallet owes beyond its last due, once all its receipts are made.
   */
  async candidates(terms: AskingTerms): Promise<Candidate[]> {
    const { most, intervalMs, leastFresh, longestWaitMs, urgentFrom } = terms;
    const rows = await this.prisma.$queryRaw<CandidateRow[]>`
      WITH asked AS (
        SELECT w.wallet, w.posted - w.credited AS owed, w.posted - w.credited - w.settled_safe AS owing,
               d.cumulative > w.settled_safe AND w.posted - w.credited > w.settled_safe AS is_short,
               least(w.limit_head, w.limit_safe) AS means,
               CASE WHEN f.since IS NULL THEN 0 ELSE w.posted - w.credited - coalesce(d.cumulative, 0) END AS fresh,
               coalesce(d.seq, 0) AS seq, coalesce(d.cumulative, 0) AS cumulative,
               d.means AS means_then, d.tries, b.created_at, greatest(f.since, b.created_at) AS since
        FROM billing.wallet w
        LEFT JOIN LATERAL (SELECT r.created_at AS since FROM billing.receipt r WHERE r.wallet = w.wallet AND r.batch_id IS NULL
                           ORDER BY r.created_at LIMIT 1) f ON true
        LEFT JOIN LATERAL (SELECT * FROM billing.settlement_due d WHERE d.wallet = w.wallet
                           ORDER BY d.seq DESC LIMIT 1) d ON true
        LEFT JOIN billing.settlement_batch b ON b.batch_id = d.batch_id
        WHERE w.posted > w.settled_safe
      ), ranked AS (
        SELECT *, row_number() OVER (ORDER BY owing DESC, wallet) AS by_amount,
               row_number() OVER (ORDER BY since, wallet) AS by_wait
        FROM asked
        WHERE (fresh > 0 AND (fresh >= ${leastFresh}::bigint OR owing >= ${urgentFrom}::bigint
                              OR since NOT BETWEEN clock_timestamp() - ${longestWaitMs}::bigint * interval '1 millisecond'
                                               AND clock_timestamp()))
          OR (is_short AND means > 0 AND (
          means > means_then OR tries < ${RETRIES_AT_ONCE}
          OR created_at NOT BETWEEN clock_timestamp() - least(${intervalMs} * power(2, least(tries, 20)), ${LONGEST_BACKOFF_MS}) * interval '1 millisecond'
                            AND clock_timestamp()))
      )
      SELECT wallet, seq, cumulative, greatest(fresh, 0)::text AS fresh, owed, means,
             CASE WHEN is_short THEN tries + 1 ELSE 0 END AS tries
      FROM ranked
      ORDER BY least(2 * by_amount - 1, 2 * by_wait), by_amount LIMIT ${most}`;
    return rows.map((row) => ({ ...row, fresh: BigInt(row.fresh) }));
  }

  /**
   * Stores a batch, its dues, which receipts they collect, and the transaction that will do it: one commit.
   * @throws LeaseLostError, SettlementPausedError; Error when a receipt is another batch's by now
   */
  async add(batch: PlannedBatch, signed: Signed): Promise<void> {
    const { batchId, dues } = batch;
    await this.prisma.$transaction(
      async (commit) => {
        await commit.$executeRaw`
          INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount)
          VALUES (${batchId}, ${batch.root}, ${dues.length}, ${batch.receipts}, ${batch.amount})`;
        await commit.$executeRaw`
          INSERT INTO billing.settlement_due
            (wallet, seq, batch_id, position, previous, cumulative, asked, payer_root, means, tries)
          SELECT wallet, seq, ${batchId}, position - 1, previous, cumulative, nullif(asked, cumulative), payer_root,
                 means, tries
          FROM unnest(${dues.map(({ wallet }) => wallet)}::text[], ${dues.map(({ seq }) => seq + 1)}::integer[],
                      ${dues.map(({ cumulative }) => String(cumulative))}::text[]::bigint[],
                      ${dues.map(({ next }) => String(next))}::text[]::bigint[],
                      ${dues.map(({ asked }) => String(asked))}::text[]::bigint[],
                      ${dues.map(({ payerRoot }) => payerRoot)}::text[],
                      ${dues.map(({ means }) => String(means))}::text[]::bigint[],
                      ${dues.map(({ tries }) => tries)}::integer[]) WITH ORDINALITY
            AS line (wallet, seq, previous, cumulative, asked, payer_root, means, tries, position)`;
        await split(commit, batch);
        await collect(commit, batch, this.rests);
        // This locks, and so comes last: the lease is renewed meanwhile, and whoever pauses settlement need not wait, and is heeded.
        await this.transactions.add(batchId, signed, commit);
      },
      { timeout: COMMIT_TIMEOUT_MS },
    );
  }

  /** The lines of a batch as the contract takes them, in order. */
  async dues(batchId: string): Promise<Due[]> {
    const rows = await this.prisma.$queryRaw<{ wallet: string; cumulative: bigint; payer_root: string }[]>`
      SELECT wallet, coalesce(asked, cumulative) AS cumulative, payer_root FROM billing.settlement_due
      WHERE batch_id = ${batchId} ORDER BY position`;
    return rows.map(({ wallet, cumulative, payer_root }) => ({
      payer: wallet,
      cumulative,
      root: payer_root,
    }));
  }
}

/** Splits parts off refunds and credits; the database sees to it that nothing is lost. */
async function split(commit: Prisma.TransactionClient, { dues }: PlannedBatch): Promise<void> {
  const parts = dues.flatMap(({ wallet, part }) => (part ? [{ wallet, part }] : []));
  if (parts.length === 0) return;
  const done = await commit.$executeRaw`
    UPDATE billing.receipt r SET amount = r.amount - p.amount, parts = p.number
    FROM unnest(${parts.map(({ wallet }) => wallet)}::text[], ${parts.map(({ part }) => part.of.id)}::text[],
                ${parts.map(({ part }) => part.of.kind)}::text[], ${parts.map(({ part }) => part.number)}::integer[],
                ${parts.map(({ part }) => String(part.amount))}::text[]::bigint[],
                ${parts.map(({ part }) => String(part.of.amount))}::text[]::bigint[])
      AS p (wallet, receipt_id, kind, number, amount, whole)
    WHERE r.wallet = p.wallet AND r.receipt_id = p.receipt_id AND r.kind = p.kind AND r.batch_id IS NULL
      AND r.amount = p.whole AND r.parts = p.number - 1`;
  if (done !== parts.length) throw new Error(`${parts.length - done} receipts cannot be split any more`);
}

/** Notes the batch at each receipt, piece by piece: requests need the processors meanwhile. */
async function collect(
  commit: Prisma.TransactionClient,
  { batchId, dues, receipts }: PlannedBatch,
  rests: Rests,
): Promise<void> {
  const all = dues.flatMap((due) => due.receipts.map((receipt) => ({ wallet: due.wallet, ...receipt })));
  let taken = 0;
  await rests.inPieces(all, RECEIPTS_PER_PIECE, async (piece) => {
    taken += await commit.$executeRaw`
      UPDATE billing.receipt r SET batch_id = ${batchId}, leaf = places.leaf
      FROM (
        SELECT o.place, decode(c.leaf, 'hex') AS leaf
        FROM unnest(${piece.map(({ wallet }) => wallet)}::text[], ${piece.map(({ id }) => id)}::text[],
                    ${piece.map(({ kind }) => kind)}::text[], ${piece.map(({ leaf }) => leaf.slice(2))}::text[])
          AS c (wallet, receipt_id, kind, leaf)
        CROSS JOIN LATERAL (
          SELECT o.ctid AS place FROM billing.receipt o
          WHERE o.wallet = c.wallet AND o.receipt_id = c.receipt_id AND o.kind = c.kind
          OFFSET 0
        ) o
      ) places
      WHERE r.ctid = places.place AND r.batch_id IS NULL`;
  });
  if (taken !== receipts) throw new Error(`${receipts - taken} receipts belong to another batch by now`);
}
