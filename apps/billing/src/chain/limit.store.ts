import { Inject, Injectable } from '@nestjs/common';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { tablesAway } from './chain-tables-away.error';
import type { WalletLimits } from './limit';

/** @throws ChainTablesAwayError from everything */
@Injectable()
export class LimitStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /**
   * Those to read now: all for which a fall must count at once (something is held or owed, or their two views differ),
   * and of the others as many as come after `cursor` within `most`. Who could not pay and holds nothing is one of the others: nothing is
   * admitted for it, and there may be any number of them that never pay. So is who owes less than `leastDue`, which waits for more.
   */
  async toRead(cursor: string, most: number, leastDue = 1n): Promise<{ active: string[]; others: string[] }> {
    const [active, others] = await this.prisma
      .$transaction([
        this.prisma.$queryRaw<{ wallet: string }[]>`
          SELECT wallet FROM billing.wallet
          WHERE held > 0 OR (posted - credited - settled_safe >= ${leastDue}::bigint AND pull_failed_at IS NULL)
            OR settled_head <> settled_safe OR limit_head <> limit_safe
          ORDER BY wallet`,
        this.prisma.$queryRaw<{ wallet: string }[]>`
          SELECT wallet FROM billing.wallet WHERE wallet > ${cursor} ORDER BY wallet LIMIT ${most}`,
      ])
      .catch(tablesAway);
    return { active: active.map(({ wallet }) => wallet), others: others.map(({ wallet }) => wallet) };
  }

  /** Writes what the chain shows, in one commit. @returns how many wallets changed */
  async write(
    limits: readonly WalletLimits[],
    commit: Pick<Prisma.TransactionClient, '$queryRaw'> = this.prisma,
  ): Promise<number> {
    // Amounts go as text: the driver knows no arrays of bigint, and a chain's figures pass BIGINT.
    const column = (value: (limit: WalletLimits) => bigint | undefined) =>
      limits.map((limit) => value(limit)?.toString() ?? null);
    const [row] = await commit.$queryRaw<{ changed: number }[]>`
      SELECT billing.write_limits(
        ${limits.map(({ wallet }) => wallet)}::text[],
        ${column(({ head }) => head.balance)}::text[]::numeric[],
        ${column(({ head }) => head.allowance)}::text[]::numeric[],
        ${column(({ head }) => head.pulled)}::text[]::numeric[],
        ${column(({ safe }) => safe?.balance)}::text[]::numeric[],
        ${column(({ safe }) => safe?.allowance)}::text[]::numeric[],
        ${column(({ safe }) => safe?.pulled)}::text[]::numeric[]
      ) AS changed`.catch(tablesAway);
    return row?.changed ?? 0;
  }
}
