import { Inject, Injectable } from '@nestjs/common';
import type { JudgeWalletRequest } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { audited } from '../audit/audit.store';
import { DATABASE } from '../database/tokens';
import { SUSPENDED } from './suspension';

/** A wallet's figures as one snapshot shows them, base units. */
export interface WalletRow {
  readonly wallet: string;
  readonly suspended: boolean;
  readonly limit_head: bigint;
  readonly limit_safe: bigint;
  readonly settled_safe: bigint;
  /** Charged, less what was given back. */
  readonly owed: bigint;
  readonly held: bigint;
  /** May be negative. */
  readonly headroom: bigint;
  readonly open_holds: bigint;
}

@Injectable()
export class WalletStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Makes the wallet known; harmless when it is. */
  async add(wallet: string): Promise<void> {
    await this.prisma.wallet.createMany({ data: [{ wallet }], skipDuplicates: true });
  }

  async find(wallet: string): Promise<WalletRow | undefined> {
    const [row] = await this.prisma.$queryRaw<WalletRow[]>`
      SELECT w.wallet, ${SUSPENDED} AS suspended, w.limit_head, w.limit_safe, w.settled_safe,
             w.posted - w.credited AS owed, w.held, billing.headroom(w) AS headroom,
             (SELECT count(*) FROM billing.open_hold h WHERE h.wallet = w.wallet) AS open_holds
      FROM billing.wallet w WHERE w.wallet = ${wallet}`;
    return row;
  }

  /** From the commit on nothing more is admitted for the wallet. @returns whether the wallet is known */
  suspend(request: JudgeWalletRequest): Promise<boolean> {
    return this.judge(request, 'wallet.suspend', Prisma.sql`now(), suspension_reason = ${request.reason}`);
  }

  /** @returns whether the wallet is known */
  reinstate(request: JudgeWalletRequest): Promise<boolean> {
    return this.judge(request, 'wallet.reinstate', Prisma.sql`NULL, suspension_reason = NULL`);
  }

  private async judge(
    { wallet, reason, actor }: JudgeWalletRequest,
    action: string,
    suspendedAt: Prisma.Sql,
  ): Promise<boolean> {
    const act = Prisma.sql`
      UPDATE billing.wallet SET suspended_at = ${suspendedAt} WHERE wallet = ${wallet} RETURNING wallet`;
    return (await this.prisma.$executeRaw(audited(act, { actor, action, subject: wallet, reason }))) > 0;
  }
}
