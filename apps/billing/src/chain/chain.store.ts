import { Inject, Injectable } from '@nestjs/common';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { ChainMovedError } from './block';
import type { BlockRef, ChainPosition, ChainStep } from './block';
import { BLOCKS_KEPT } from './chain-follower';
import { tablesAway } from './chain-tables-away.error';
import type { WalletLimits } from './limit';
import { LimitStore } from './limit.store';

/**
 * After a reorganisation below the safe depth these are all wallets: in one statement many would take longer than a statement may (10 s). Of
 * 300,000, all pieces together take 6 to 10 s.
 */
const WALLETS_PER_PIECE = 5_000;
const COMMIT_TIMEOUT_MS = 120_000;

interface PositionRow {
  head_number: bigint;
  head_hash: string;
  safe_number: bigint;
  safe_hash: string | null;
}

/** What is known of the chain. Several instances follow it together. @throws ChainTablesAwayError from everything */
@Injectable()
export class ChainStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly limits: LimitStore,
  ) {}

  /** The block whose figures the wallets have; undefined before the first. */
  async position(): Promise<ChainPosition | undefined> {
    const [row] = await this.prisma.$queryRaw<PositionRow[]>`
      SELECT head_number, head_hash, safe_number, safe_hash FROM billing.chain_position`.catch(tablesAway);
    return row && positionOf(row);
  }

  /** Recent blocks, newest first. */
  async blocks(): Promise<BlockRef[]> {
    const rows = await this.prisma.$queryRaw<{ number: bigint; hash: string }[]>`
      SELECT number, hash FROM billing.chain_block ORDER BY number DESC LIMIT ${BLOCKS_KEPT}`.catch(
      tablesAway,
    );
    return rows.map(({ number, hash }) => ({ number: Number(number), hash }));
  }

  /** The newest block up to a number of which the hash is known: a recent one, or one with an event. */
  async newestUpTo(number: number): Promise<BlockRef | undefined> {
    const [row] = await this.prisma.$queryRaw<{ number: bigint; hash: string }[]>`
      (SELECT number, hash FROM billing.chain_block WHERE number <= ${number} ORDER BY number DESC LIMIT 1)
      UNION ALL
      (SELECT block_number, block_hash FROM billing.settlement_event WHERE block_number <= ${number}
       ORDER BY block_number DESC LIMIT 1)
      ORDER BY number DESC LIMIT 1`.catch(tablesAway);
    return row && { number: Number(row.number), hash: row.hash };
  }

  /**
   * Takes one step: what is no longer on the chain goes, with its events; batches that only those blocks showed as settled
   * are open again; new blocks, their events and the wallets' figures come. One commit.
   * @throws ChainMovedError when another instance has taken a step meanwhile
   */
  async record(
    from: ChainPosition | undefined,
    step: ChainStep,
    to: ChainPosition,
    limits: readonly WalletLimits[],
  ): Promise<void> {
    await this.ifUnmoved(from, async (commit) => {
      if (step.dropped > 0) await dropAbove(commit, step.ancestor?.number ?? -1);
      await addBlocks(commit, step);
      await addEvents(commit, step);
      for (let first = 0; first < limits.length; first += WALLETS_PER_PIECE) {
        await this.limits.write(limits.slice(first, first + WALLETS_PER_PIECE), commit);
      }
      await moveTo(commit, to);
    });
  }

  /**
   * Writes figures that were read at a position, if that still stands: they must not overwrite later ones.
   * @throws ChainMovedError when another instance has taken a step meanwhile
   */
  async refresh(at: ChainPosition, limits: readonly WalletLimits[]): Promise<void> {
    await this.ifUnmoved(at, async (commit) => void (await this.limits.write(limits, commit)));
  }

  /** Writes in one commit. @throws ChainMovedError when the position is another by now */
  private async ifUnmoved(
    from: ChainPosition | undefined,
    write: (commit: Prisma.TransactionClient) => Promise<void>,
  ): Promise<void> {
    const work = async (commit: Prisma.TransactionClient): Promise<void> => {
      await requireUnmoved(commit, from);
      await write(commit);
    };
    await this.prisma.$transaction(work, { timeout: COMMIT_TIMEOUT_MS }).catch((error: unknown) => {
      if (error instanceof ChainMovedError) throw error;
      tablesAway(error);
    });
  }
}

async function requireUnmoved(
  commit: Prisma.TransactionClient,
  from: ChainPosition | undefined,
): Promise<void> {
  // Also before there is a row to lock.
  await commit.$executeRaw`LOCK TABLE billing.chain_position IN SHARE ROW EXCLUSIVE MODE`;
  const [row] = await commit.$queryRaw<
    PositionRow[]
  >`SELECT head_number, head_hash, safe_number, safe_hash FROM billing.chain_position`;
  if (row?.head_hash !== from?.head.hash) throw new ChainMovedError('another instance has read on');
}

async function dropAbove(commit: Prisma.TransactionClient, number: number): Promise<void> {
  await commit.$executeRaw`DELETE FROM billing.chain_block WHERE number > ${number}`;
  await commit.$executeRaw`DELETE FROM billing.settlement_event WHERE block_number > ${number}`;
  await commit.$executeRaw`
    UPDATE billing.settlement_batch SET state = 'signed', settled_at = NULL
    WHERE state = 'settled' AND settled_block > ${number}`;
  await commit.$executeRaw`
    UPDATE billing.payout SET state = 'signed', settled_at = NULL
    WHERE state = 'settled' AND settled_block > ${number}`;
}

async function addBlocks(commit: Prisma.TransactionClient, { headers }: ChainStep): Promise<void> {
  await commit.$executeRaw`
    INSERT INTO billing.chain_block (number, hash, parent_hash)
    SELECT * FROM unnest(${headers.map(({ number }) => number)}::bigint[], ${headers.map(({ hash }) => hash)}::text[],
                         ${headers.map(({ parentHash }) => parentHash)}::text[])`;
  await commit.$executeRaw`
    DELETE FROM billing.chain_block WHERE number <= (SELECT max(number) FROM billing.chain_block) - ${BLOCKS_KEPT}`;
}

async function addEvents(commit: Prisma.TransactionClient, { events }: ChainStep): Promise<void> {
  if (events.length === 0) return;
  await commit.$executeRaw`
    INSERT INTO billing.settlement_event
      (block_hash, log_index, block_number, tx_hash, kind, batch_id, wallet, amount)
    SELECT * FROM unnest(
      ${events.map(({ block }) => block.hash)}::text[], ${events.map(({ logIndex }) => logIndex)}::integer[],
      ${events.map(({ block }) => block.number)}::bigint[], ${events.map(({ txHash }) => txHash)}::text[],
      ${events.map(({ kind }) => kind)}::text[], ${events.map(({ batchId }) => batchId ?? null)}::text[],
      ${events.map(({ wallet }) => wallet ?? null)}::text[], ${events.map(({ amount }) => String(amount))}::text[]::numeric[])
    ON CONFLICT DO NOTHING`;
}

async function moveTo(commit: Prisma.TransactionClient, { head, safe }: ChainPosition): Promise<void> {
  await commit.$executeRaw`
    INSERT INTO billing.chain_position (head_number, head_hash, safe_number, safe_hash)
    VALUES (${head.number}, ${head.hash}, ${safe.number}, ${safe.hash ?? null})
    ON CONFLICT (only_row) DO UPDATE
    SET head_number = excluded.head_number, head_hash = excluded.head_hash, safe_number = excluded.safe_number,
        safe_hash = excluded.safe_hash, read_at = now()`;
}

function positionOf(row: PositionRow): ChainPosition {
  return {
    head: { number: Number(row.head_number), hash: row.head_hash },
    safe: { number: Number(row.safe_number), hash: row.safe_hash ?? undefined },
  };
}
