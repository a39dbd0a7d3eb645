import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { SUSPENDED } from './suspension';

/** One line of the list, base units. */
export interface ListedWallet {
  readonly wallet: string;
  readonly created_at: Date;
  readonly suspended_at: Date | null;
  readonly suspension_reason: string | null;
  readonly pull_failed_at: Date | null;
  readonly limit_head: bigint;
  readonly charged: bigint;
  readonly held: bigint;
  readonly unsettled: bigint;
}

/** A part of the list: wallets that may not spend, and those in good standing. */
export type WalletPart = 'suspended' | 'standing';

/** Which wallets of one part, and how many at most. */
export interface WalletSelection {
  readonly part: WalletPart;
  /** How the address begins. */
  readonly prefix: string;
  /** From after this address on; '' from the beginning. */
  readonly after: string;
  readonly limit: number;
}

/** Above every address that begins with what it is put behind. */
const AFTER_HEX = 'g';

@Injectable()
export class WalletListStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** In the order of their addresses. */
  read({ part, prefix, after, limit }: WalletSelection): Promise<ListedWallet[]> {
    return this.prisma.$queryRaw<ListedWallet[]>`
      SELECT w.wallet, w.created_at, w.suspended_at, w.suspension_reason, w.pull_failed_at, w.limit_head,
             w.posted - w.credited AS charged, w.held, w.posted - w.credited - w.settled_safe AS unsettled
      FROM billing.wallet w
      WHERE ${part === 'suspended' ? SUSPENDED : Prisma.sql`NOT ${SUSPENDED}`}
        AND w.wallet >= ${prefix} AND w.wallet < ${prefix + AFTER_HEX} AND w.wallet > ${after}
      ORDER BY w.wallet LIMIT ${limit}`;
  }
}
