import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { AuditStore } from '../../audit/audit.store';
import { databaseNow } from '../../database/database-now';
import { DATABASE } from '../../database/tokens';
import { retryDelayMs } from '../retry-delay';
import { recentSuspensions } from '../suspension-memory';
import { SUSPENDED_ACTION, WATCH_ACTOR } from '../watch-codes';
import type { HealthVerdict } from './health-rules';

/** Offers that real traffic speaks against. */
@Injectable()
export class HealthSuspensionStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly audit: AuditStore,
  ) {}

  /**
   * Takes an offer off the market until a canary passes; the first comes the later the more often it was taken off of late.
   * @returns whether it was on it: the same verdict twice changes nothing
   */
  suspend(offerId: string, { code, reason }: Pick<HealthVerdict, 'code' | 'reason'>): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM catalog.offers WHERE id = ${offerId} FOR UPDATE`;
      const now = await databaseNow(tx);
      const retries = await recentSuspensions(tx, offerId, now);
      const retryAt = new Date(now.getTime() + retryDelayMs(retries));
      const { count } = await tx.offer.updateMany({
        where: {
          id: offerId,
          withdrawnAt: null,
          liveVersion: { not: null },
          OR: [{ watchCode: null }, { watchCode: 'no_heartbeat' }],
        },
        data: {
          watchCode: code,
          watchReason: reason,
          watchSince: now,
          retries,
          retryAt,
          nextCanaryAt: retryAt,
        },
      });
      if (count === 0) return false;
      const act = { actor: WATCH_ACTOR, action: SUSPENDED_ACTION, subject: offerId };
      await this.audit.write(tx, { ...act, reason: `${code}: ${reason}` });
      return true;
    });
  }

  /**
   * Has a canary look at an offer on the market at once, unless one was asked for within the last `everyMs`.
   * @returns whether one is due now
   */
  async check(offerId: string, everyMs: number): Promise<boolean> {
    const ordered = await this.prisma.$executeRaw`
      UPDATE catalog.offers SET next_canary_at = now()
      WHERE id = ${offerId} AND withdrawn_at IS NULL AND live_version IS NOT NULL AND watch_code IS NULL AND next_canary_at > now()
        AND NOT EXISTS (
          SELECT 1 FROM catalog.certifications WHERE offer_id = ${offerId} AND kind = 'canary'
            AND requested_at BETWEEN now() - ${everyMs} * interval '1 ms' AND clock_timestamp())`;
    return ordered > 0;
  }
}
