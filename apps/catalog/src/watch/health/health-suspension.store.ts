import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { AuditStore } from '../../audit/audit.store';
import { DATABASE } from '../../database/tokens';
import { retryDelayMs } from '../canary/canary-rules';
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
   * Takes an offer off the market until a canary passes.
   * @returns whether it was on it: the same verdict twice changes nothing
   */
  suspend(offerId: string, { code, reason }: HealthVerdict): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      const now = new Date();
      const retryAt = new Date(now.getTime() + retryDelayMs(0));
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
          retries: 0,
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
}
