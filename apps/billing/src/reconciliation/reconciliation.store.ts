import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../database/rests';
import { DATABASE } from '../database/tokens';
import type { Difference } from '../settlement/pause.store';
import type { LedgerCheck } from './ledger-checks';
import { RECONCILIATION_DATABASE, RECONCILIATION_SESSIONS } from './tokens';

export type ReconciliationKind = 'incremental' | 'full';

/** What the ledger says was collected, and the block that it says so of. */
interface SettledView {
  readonly safeHash: string;
  readonly settled: bigint;
}

/** What a comparison found, and how long ago. */
export interface FinishedReconciliation {
  readonly ageMs: number;
  readonly differences: number;
}

interface DifferenceRow {
  subject: string | null;
  expected: string | null;
  actual: string | null;
}

/** Enough to see what is going on. */
export const MOST_DIFFERENCES = 20;

@Injectable()
export class ReconciliationStore {
  constructor(
    @Inject(RECONCILIATION_DATABASE) private readonly prisma: PrismaClient,
    @Inject(RECONCILIATION_SESSIONS) private readonly sessions: string,
    @Inject(DATABASE) private readonly others: PrismaClient,
    private readonly rests: Rests,
  ) {}

  /** Rests afterwards: the next check may be as long. @throws AbortError when the process ends */
  async run({ rule, sql }: LedgerCheck): Promise<Difference[]> {
    this.rests.throwIfLeaving();
    const startedMs = performance.now();
    const rows = await this.prisma.$queryRaw<DifferenceRow[]>`${sql} LIMIT ${MOST_DIFFERENCES}`;
    await this.rests.after(startedMs);
    return rows.map(({ subject, expected, actual }) => ({
      rule,
      ...(subject === null ? {} : { subject }),
      expected: expected ?? 'none',
      actual: actual ?? 'none',
    }));
  }

  /** Ends the statements of this process's comparisons that are under way: they fail. */
  async cancel(): Promise<void> {
    await this.others.$queryRaw`
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE application_name = ${this.sessions} AND state = 'active'`;
  }

  /** Undefined before the safe depth was read. One snapshot. */
  async settledView(): Promise<SettledView | undefined> {
    const [row] = await this.prisma.$queryRaw<{ safe_hash: string | null; settled: string }[]>`
      SELECT safe_hash, (SELECT coalesce(sum(settled_safe), 0)::text FROM billing.wallet) AS settled
      FROM billing.chain_position`;
    if (!row || row.safe_hash === null) return undefined;
    return { safeHash: row.safe_hash, settled: BigInt(row.settled) };
  }

  /** What the ledger says was collected from each of the `most` wallets after `beyond`, as of which safe block; one snapshot. */
  async settledByWallet(
    beyond: string,
    most: number,
  ): Promise<{ safeHash: string | undefined; settled: Map<string, bigint> }> {
    const rows = await this.prisma.$queryRaw<
      { safe_hash: string | null; wallet: string; settled_safe: bigint }[]
    >`
      SELECT (SELECT safe_hash FROM billing.chain_position) AS safe_hash, wallet, settled_safe FROM billing.wallet
      WHERE wallet > ${beyond} ORDER BY wallet LIMIT ${most}`;
    return {
      safeHash: rows[0]?.safe_hash ?? undefined,
      settled: new Map(rows.map(({ wallet, settled_safe }) => [wallet, settled_safe])),
    };
  }

  /** The last one that ran to its end, anywhere; undefined before that. */
  async last(kind: ReconciliationKind): Promise<FinishedReconciliation | undefined> {
    const [row] = await this.prisma.$queryRaw<{ age_ms: number; differences: number }[]>`
      SELECT (extract(epoch FROM clock_timestamp() - finished_at) * 1000)::float8 AS age_ms, differences
      FROM billing.reconciliation WHERE kind = ${kind}`;
    return row && { ageMs: row.age_ms, differences: row.differences };
  }

  async finished(kind: ReconciliationKind, differences: number): Promise<void> {
    await this.prisma.$executeRaw`
      INSERT INTO billing.reconciliation (kind, finished_at, differences)
      VALUES (${kind}, clock_timestamp(), ${differences})
      ON CONFLICT (kind) DO UPDATE SET finished_at = excluded.finished_at, differences = excluded.differences`;
  }
}
