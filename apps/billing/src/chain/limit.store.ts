import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import type { WalletLimits } from './limit';

/** Thrown when the database, not the chain, is why limits are not current. */
export class LimitsNotWrittenError extends Error {
  constructor(cause: unknown) {
    super('limits not written', { cause });
    this.name = 'LimitsNotWrittenError';
  }
}

/** @throws LimitsNotWrittenError from everything */
@Injectable()
export class LimitStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  async wallets(): Promise<string[]> {
    const rows = await this.prisma.wallet
      .findMany({ select: { wallet: true }, orderBy: { wallet: 'asc' } })
      .catch(notWritten);
    return rows.map(({ wallet }) => wallet);
  }

  /** Writes what the chain shows, in one commit. @returns how many wallets changed */
  async write(limits: readonly WalletLimits[]): Promise<number> {
    // Amounts go as text: the driver knows no arrays of bigint, and a chain's figures pass BIGINT.
    const column = (value: (limit: WalletLimits) => bigint | undefined) =>
      limits.map((limit) => value(limit)?.toString() ?? null);
    const [row] = await this.prisma.$queryRaw<{ changed: number }[]>`
      SELECT billing.write_limits(
        ${limits.map(({ wallet }) => wallet)}::text[],
        ${column(({ head }) => head.balance)}::text[]::numeric[],
        ${column(({ head }) => head.allowance)}::text[]::numeric[],
        ${column(({ head }) => head.settled)}::text[]::numeric[],
        ${column(({ safe }) => safe?.balance)}::text[]::numeric[],
        ${column(({ safe }) => safe?.allowance)}::text[]::numeric[],
        ${column(({ safe }) => safe?.settled)}::text[]::numeric[]
      ) AS changed`.catch(notWritten);
    return row?.changed ?? 0;
  }
}

function notWritten(error: unknown): never {
  throw new LimitsNotWrittenError(error);
}
