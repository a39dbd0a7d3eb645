import { Inject, Injectable } from '@nestjs/common';
import type { CreditWalletRequest, RefundRequest } from '@svc/contracts';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

type CreditState = 'credited' | 'repeated' | 'different' | 'unknown';
type RefundState = 'refunded' | 'repeated' | 'uncharged' | 'unknown';

/** Gives money back or away, each in one commit with its transfer; the rules stand in the database. */
@Injectable()
export class CreditStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  async credit({ wallet, creditId, amount, reason, actor }: CreditWalletRequest): Promise<CreditState> {
    const [row] = await this.prisma.$queryRaw<{ state: CreditState }[]>`
      SELECT billing.credit_wallet(${wallet}, ${creditId}, ${amount}::bigint, ${reason}, ${actor}) AS state`;
    return row?.state ?? 'unknown';
  }

  async refund({ wallet, holdId, reason, actor }: RefundRequest): Promise<RefundState> {
    const [row] = await this.prisma.$queryRaw<{ state: RefundState }[]>`
      SELECT billing.refund(${wallet}, ${holdId}, ${reason}, ${actor}) AS state`;
    return row?.state ?? 'unknown';
  }
}
