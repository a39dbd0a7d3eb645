import { Inject, Injectable } from '@nestjs/common';
import type { QuotaLimit } from '@svc/errors';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** Says what a wallet's means were limited by, and whether a key's budget is for good; asked only for refusals. */
@Injectable()
export class QuotaLimitStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Whether balance or approval is the smaller, at the depth that counts. A wallet never read has no balance. */
  async meansLimitOf(wallet: string): Promise<Extract<QuotaLimit, 'balance' | 'approval'>> {
    const [row] = await this.prisma.$queryRaw<{ approval: boolean }[]>`
      SELECT CASE WHEN w.limit_head + w.settled_head <= w.limit_safe + w.settled_safe
                  THEN m.allowance_head < m.balance_head ELSE m.allowance_safe < m.balance_safe END AS approval
      FROM billing.wallet w JOIN billing.wallet_means m ON m.wallet = w.wallet
      WHERE w.wallet = ${wallet}`;
    return row?.approval ? 'approval' : 'balance';
  }

  /** Whether a key's budget begins anew some day and has that much then, base units. */
  async willAfford({ wallet, keyId }: { wallet: string; keyId: string }, amount: bigint): Promise<boolean> {
    const [row] = await this.prisma.$queryRaw<{ will: boolean }[]>`
      SELECT b.reset IS NOT NULL AND b.cap >= ${amount} AS will FROM billing.key_budget b
      WHERE b.wallet = ${wallet} AND b.key_id = ${keyId}`;
    return row?.will ?? false;
  }
}
