import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { enqueueCertification } from '../../certification-queue/certification-queue';
import { databaseNow } from '../../database/database-now';
import { lockOrders } from '../../database/locks';
import { DATABASE } from '../../database/tokens';
import { LONGEST_RETRY_MS, retryDelayMs } from '../retry-delay';
import { WATCH_SETTINGS } from '../tokens';
import type { WatchSettings } from '../tokens';
import { LIFTED_BY_CANARY } from '../watch-codes';
import { renewalRules } from './canary-rules';
import { dueOrder } from './due-order';
import type { DueRuns } from './due-order';

/** How many canaries, and renewals, may be open in the whole catalogue even where few are due. */
export const LEAST_CANARIES_OPEN = 4;
export const LEAST_RENEWALS_OPEN = 2;
/** How many of these may be one provider's. */
export const MOST_CANARIES_OF_ONE = 2;
const MOST_RENEWALS_OF_ONE = 1;

interface DueOffer {
  id: string;
  version: number;
  watchCode: string | null;
  retries: number;
}

/** What a canary may still say something of: it is certified, or held against something that a canary lifts. */
const TOLD_BY_CANARY = Prisma.sql`
  (o.watch_code IS NULL AND o.certified_until > now() OR o.watch_code = ANY(${[...LIFTED_BY_CANARY]}))`;

/** Orders certifications that are due by time; of all instances, one at a time does. */
@Injectable()
export class DueCertificationsStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    @Inject(WATCH_SETTINGS) private readonly settings: WatchSettings,
  ) {}

  /**
   * Orders canaries as far as there is room; each is due again later whatever becomes of it. By turns one of those whose answer is waited for,
   * off the market or failed once, and one of the others: whoever fails on purpose keeps nobody from being looked at.
   * @returns how many
   */
  orderCanaries(): Promise<number> {
    return this.exclusively(async (tx) => {
      await this.planFirst(tx);
      const due = await tx.$queryRaw<DueOffer[]>(dueOrder(this.dueCanaries()));
      if (due.length === 0) return 0;
      const nowMs = (await databaseNow(tx)).getTime();
      for (const { id, version, watchCode, retries } of due) {
        await enqueueCertification(tx, { offerId: id, version, kind: 'canary', by: 'house' });
        const inMs = watchCode === null ? this.nextCanaryInMs() : retryDelayMs(retries);
        await tx.offer.update({ where: { id }, data: { nextCanaryAt: new Date(nowMs + inMs) } });
      }
      return due.length;
    });
  }

  /**
   * Has certifications that are nearly over, or over, made anew, as far as there is room; the offers serve on meanwhile, and come before those
   * that do not serve any more. Those that wait for an endpoint to be less busy hold up no other provider's.
   * @returns how many
   */
  orderRenewals(): Promise<number> {
    return this.exclusively(async (tx) => {
      const due = await tx.$queryRaw<DueOffer[]>(dueOrder(this.dueRenewals()));
      for (const { id, version } of due) {
        await enqueueCertification(tx, { offerId: id, version, kind: 'full', by: 'house' });
      }
      return due.length;
    });
  }

  private dueCanaries(): DueRuns {
    // By the clock, and not by now(), which is when this transaction began: what has failed since is due, and comes first.
    // What is planned for later than anything is was planned before that clock was set back.
    const plannedAtMostMs = 2 * Math.max(this.settings.canaryMs, LONGEST_RETRY_MS);
    return {
      kind: 'canary',
      isDue: Prisma.sql`${TOLD_BY_CANARY}
        AND (o.next_canary_at <= clock_timestamp() OR o.next_canary_at > clock_timestamp() + ${plannedAtMostMs} * interval '1 ms')`,
      dueAt: Prisma.sql`o.next_canary_at`,
      comesFirst: Prisma.sql`(o.watch_code IS NOT NULL OR o.retries > 0)`,
      mostOfOne: MOST_CANARIES_OF_ONE,
      rememberedMs: plannedAtMostMs,
      leastOpen: LEAST_CANARIES_OPEN,
      order: Prisma.sql`due_run.turn, due_run.comes_first DESC`,
    };
  }

  /** One that fails comes again after a pause, a longer one each time; a moment that is ahead is from before the clock was set back. */
  private dueRenewals(): DueRuns {
    const { aheadMs, againMs, doublings, rememberedMs } = renewalRules(this.settings.certificationTtlMs);
    return {
      kind: 'full',
      isDue: Prisma.sql`o.watch_code IS NULL AND o.certified_until <= now() + ${aheadMs} * interval '1 ms'
        AND NOT EXISTS (
          SELECT FROM (
            SELECT max(c.requested_at) AS last, count(*) FILTER (WHERE c.status = 'refused') AS failures
            FROM catalog.certifications c
            WHERE c.offer_id = o.id AND c.version = o.live_version AND c.kind = 'full'
              AND c.requested_at BETWEEN now() - ${rememberedMs} * interval '1 ms' AND clock_timestamp()
          ) tried
          WHERE tried.last >= now() - ${againMs} * power(2, least(greatest(tried.failures - 1, 0), ${doublings})) * interval '1 ms')`,
      dueAt: Prisma.sql`o.certified_until`,
      comesFirst: Prisma.sql`(o.certified_until > now())`,
      mostOfOne: MOST_RENEWALS_OF_ONE,
      rememberedMs,
      leastOpen: LEAST_RENEWALS_OPEN,
      order: Prisma.sql`due_run.comes_first DESC, due_run.turn`,
    };
  }

  /** Offers that have just been certified, and those back on the market, have no canary planned yet. */
  private async planFirst(tx: Prisma.TransactionClient): Promise<void> {
    await tx.$executeRaw`
      UPDATE catalog.offers SET next_canary_at = now() + ${this.settings.canaryMs} * (0.5 + random()) * interval '1 ms'
      WHERE id IN (
        -- In the order in which heartbeats lock them.
        SELECT id FROM catalog.offers WHERE next_canary_at IS NULL AND withdrawn_at IS NULL AND live_version IS NOT NULL
        ORDER BY id FOR UPDATE)`;
  }

  private nextCanaryInMs(): number {
    return this.settings.canaryMs * (0.75 + Math.random() / 2);
  }

  private exclusively(work: (tx: Prisma.TransactionClient) => Promise<number>): Promise<number> {
    return this.prisma.$transaction(async (tx) => {
      await lockOrders(tx);
      return work(tx);
    });
  }
}
