import { Inject, Injectable } from '@nestjs/common';
import type { CertificationKind } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { countOpenRuns, enqueueCertification } from '../../certification-queue/certification-queue';
import { databaseNow } from '../../database/database-now';
import { ORDERS_LOCK } from '../../database/locks';
import { DATABASE } from '../../database/tokens';
import { LONGEST_RETRY_MS, retryDelayMs } from '../retry-delay';
import { WATCH_SETTINGS } from '../tokens';
import type { WatchSettings } from '../tokens';
import { LIFTED_BY_CANARY } from '../watch-codes';
import { renewalRules } from './canary-rules';

/** So many canaries, and renewals, are open at once in the whole catalogue: offers that are new do not wait behind those. */
export const MOST_CANARIES_OPEN = 4;
export const MOST_RENEWALS_OPEN = 2;
/** Of these, so many are one provider's: endpoints that drag their feet keep no others from being looked at. */
export const MOST_CANARIES_OF_ONE = 2;

interface DueCanary {
  id: string;
  version: number;
  watchCode: string | null;
  retries: number;
}

const STANDS = Prisma.sql`o.withdrawn_at IS NULL AND o.live_version IS NOT NULL AND o.suspended_at IS NULL`;

/**
 * Offers that may be asked: certified, not over, and nobody but watching speaks against them. OFFSET 0, here and below, keeps each lookup a
 * lookup by its key, and NOT IN reads providers that are suspended once: a planner that was told of few rows reads all offers for each
 * provider.
 */
const ASKED = Prisma.sql`
  FROM catalog.offers o
  CROSS JOIN LATERAL (
    SELECT FROM catalog.offer_versions v WHERE v.offer_id = o.id AND v.version = o.live_version AND v.expires_at > now() OFFSET 0
  ) live
  CROSS JOIN LATERAL (
    SELECT FROM catalog.offer_versions v WHERE v.offer_id = o.id AND v.version = o.version AND v.expires_at > now() OFFSET 0
  ) newest
  WHERE ${STANDS} AND o.provider_wallet NOT IN (SELECT p.wallet FROM catalog.providers p WHERE p.suspended_at IS NOT NULL)
`;

/** What a canary may still say something of: it is certified, or held against something that a canary lifts. */
const TOLD_BY_CANARY = Prisma.sql`
  (o.watch_code IS NULL AND o.certified_until > now() OR o.watch_code = ANY(${[...LIFTED_BY_CANARY]}))`;
const FAILED_ONCE = Prisma.sql`(o.watch_code IS NULL AND o.retries > 0)`;

/** Runs of one kind that are open, which are few: read once, not for each offer that is due. One of the other kind is in nobody's way. */
function openRuns(kind: CertificationKind): Prisma.Sql {
  return Prisma.sql`open_run AS MATERIALIZED (
    SELECT c.offer_id, other.provider_wallet FROM catalog.certifications c JOIN catalog.offers other ON other.id = c.offer_id
    WHERE c.kind = ${kind} AND c.status IN ('queued', 'running'))`;
}

const NONE_OPEN = Prisma.sql`NOT EXISTS (SELECT FROM open_run r WHERE r.offer_id = o.id)`;

/** Orders certifications that are due by time; of all instances, one at a time does. */
@Injectable()
export class DueCertificationsStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    @Inject(WATCH_SETTINGS) private readonly settings: WatchSettings,
  ) {}

  /**
   * Orders canaries as far as there is room: of providers with the fewest open first, then second ones of offers that have just failed
   * one. Each is due again later whatever becomes of it.
   * @returns how many
   */
  orderCanaries(): Promise<number> {
    return this.exclusively(async (tx) => {
      await this.planFirst(tx);
      const room = MOST_CANARIES_OPEN - (await countOpenRuns(tx, Prisma.sql`c.kind = 'canary'`));
      if (room <= 0) return 0;
      const due = await this.nextCanaries(tx, room);
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
   * Has certifications that are nearly over, or over, made anew; the offers serve on meanwhile. One that fails is tried again
   * some time later. Those that wait for an endpoint to be less busy hold up no others.
   * @returns how many
   */
  orderRenewals(): Promise<number> {
    const { aheadMs, againMs } = renewalRules(this.settings.certificationTtlMs);
    return this.exclusively(async (tx) => {
      const renewals = Prisma.sql`c.kind = 'full' AND c.version = o.live_version AND c.busy_times = 0`;
      const room = MOST_RENEWALS_OPEN - (await countOpenRuns(tx, renewals));
      if (room <= 0) return 0;
      const due = await tx.$queryRaw<{ id: string; version: number }[]>`
        WITH ${openRuns('full')}
        SELECT o.id, o.live_version AS version ${ASKED}
          AND ${NONE_OPEN} AND o.watch_code IS NULL AND o.certified_until <= now() + ${aheadMs} * interval '1 ms'
          AND NOT EXISTS (
            SELECT FROM catalog.certifications c WHERE c.offer_id = o.id AND c.version = o.live_version AND c.kind = 'full'
              AND c.requested_at BETWEEN now() - ${againMs} * interval '1 ms' AND clock_timestamp() OFFSET 0)
        ORDER BY o.certified_until LIMIT ${room}
        FOR UPDATE OF o SKIP LOCKED`;
      for (const { id, version } of due) {
        await enqueueCertification(tx, { offerId: id, version, kind: 'full', by: 'house' });
      }
      return due.length;
    });
  }

  /** Each counts against its provider's others behind it. What another transaction has changed meanwhile is looked at once more. */
  private nextCanaries(tx: Prisma.TransactionClient, room: number): Promise<DueCanary[]> {
    // By the clock, and not by now(), which is when this transaction began: what has failed since is due, and comes first.
    // What is planned for later than anything is was planned before that clock was set back.
    const plannedAtMostMs = 2 * Math.max(this.settings.canaryMs, LONGEST_RETRY_MS);
    const canaryDue = Prisma.sql`${TOLD_BY_CANARY}
      AND (o.next_canary_at <= clock_timestamp() OR o.next_canary_at > clock_timestamp() + ${plannedAtMostMs} * interval '1 ms')`;
    return tx.$queryRaw<DueCanary[]>`
      WITH ${openRuns('canary')}, due AS MATERIALIZED (
        SELECT o.id, o.next_canary_at, ${FAILED_ONCE} AS failed_once,
          (SELECT count(*) FROM open_run r WHERE r.provider_wallet = o.provider_wallet)
            + row_number() OVER (PARTITION BY o.provider_wallet ORDER BY ${FAILED_ONCE} DESC, o.next_canary_at) AS of_provider
        ${ASKED} AND ${NONE_OPEN} AND ${canaryDue}
      )
      SELECT o.id, o.live_version AS version, o.watch_code AS "watchCode", o.retries
      FROM catalog.offers o JOIN due d ON d.id = o.id
      WHERE d.of_provider <= ${MOST_CANARIES_OF_ONE} AND ${STANDS} AND ${canaryDue}
      ORDER BY d.of_provider, d.failed_once DESC, d.next_canary_at LIMIT ${room}
      FOR UPDATE OF o SKIP LOCKED`;
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

  /** @returns what `work` did; 0 while another instance is at it */
  private exclusively(work: (tx: Prisma.TransactionClient) => Promise<number>): Promise<number> {
    return this.prisma.$transaction(async (tx) => {
      const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(${ORDERS_LOCK}::bigint) AS taken`;
      return lock?.taken ? work(tx) : 0;
    });
  }
}
