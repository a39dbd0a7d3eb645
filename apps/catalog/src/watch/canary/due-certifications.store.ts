import { Inject, Injectable } from '@nestjs/common';
import type { CertificationKind } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { countOpenRuns, enqueueCertification } from '../../certification/certification-queue';
import { DATABASE } from '../../database/tokens';
import { retryDelayMs } from '../retry-delay';
import { WATCH_SETTINGS } from '../tokens';
import type { WatchSettings } from '../tokens';
import { LIFTED_BY_CANARY } from '../watch-codes';
import { renewalRules } from './canary-rules';

/** So many canaries, and renewals, are open at once in the whole catalogue: offers that are new do not wait behind those. */
export const MOST_CANARIES_OPEN = 4;
export const MOST_RENEWALS_OPEN = 2;
/** Of these, so many are one provider's: endpoints that drag their feet keep no others from being looked at. */
export const MOST_CANARIES_OF_ONE = 2;

/** Advisory lock of whoever orders; the number only has to be the same everywhere. */
const ORDERS_LOCK = 20_261_124;

interface DueCanary {
  id: string;
  version: number;
  watchCode: string | null;
  retries: number;
}

/** Offers that may be asked: certified, not over, and nobody but watching speaks against them. */
const ASKED = Prisma.sql`
  FROM catalog.offers o
  JOIN catalog.providers p ON p.wallet = o.provider_wallet
  JOIN catalog.offer_versions v ON v.offer_id = o.id AND v.version = o.live_version
  JOIN catalog.offer_versions newest ON newest.offer_id = o.id AND newest.version = o.version
  WHERE o.withdrawn_at IS NULL AND o.live_version IS NOT NULL AND o.suspended_at IS NULL AND p.suspended_at IS NULL
    AND v.expires_at > now() AND newest.expires_at > now()
`;

const CANARIES_OF_PROVIDER = Prisma.sql`(
  SELECT count(*) FROM catalog.certifications c JOIN catalog.offers other ON other.id = c.offer_id
  WHERE other.provider_wallet = o.provider_wallet AND c.kind = 'canary' AND c.status IN ('queued', 'running'))`;

/** A run of the other kind is in nobody's way. */
function noneOpen(kind: CertificationKind): Prisma.Sql {
  return Prisma.sql`NOT EXISTS (
    SELECT 1 FROM catalog.certifications c WHERE c.offer_id = o.id AND c.kind = ${kind} AND c.status IN ('queued', 'running'))`;
}

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
      for (let ordered = 0; ordered < room; ordered++) {
        const due = await this.nextCanary(tx);
        if (!due) return ordered;
        const { id, version, watchCode, retries } = due;
        await enqueueCertification(tx, { offerId: id, version, kind: 'canary', by: 'house' });
        const inMs = watchCode === null ? this.nextCanaryInMs() : retryDelayMs(retries);
        await tx.offer.update({ where: { id }, data: { nextCanaryAt: new Date(Date.now() + inMs) } });
      }
      return Math.max(room, 0);
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
        SELECT o.id, o.live_version AS version ${ASKED}
          AND ${noneOpen('full')} AND o.watch_code IS NULL AND o.certified_until <= now() + ${aheadMs} * interval '1 ms'
          AND NOT EXISTS (
            SELECT 1 FROM catalog.certifications c WHERE c.offer_id = o.id AND c.version = o.live_version AND c.kind = 'full'
              AND c.requested_at > now() - ${againMs} * interval '1 ms')
        ORDER BY o.certified_until LIMIT ${room}
        FOR UPDATE OF o SKIP LOCKED`;
      for (const { id, version } of due) {
        await enqueueCertification(tx, { offerId: id, version, kind: 'full', by: 'house' });
      }
      return due.length;
    });
  }

  /** One at a time: each that is ordered counts against its provider's others. */
  private async nextCanary(tx: Prisma.TransactionClient): Promise<DueCanary | undefined> {
    // Not now(), which is when this transaction began: what has failed since is due, and comes first.
    const [due] = await tx.$queryRaw<DueCanary[]>`
      SELECT o.id, o.live_version AS version, o.watch_code AS "watchCode", o.retries ${ASKED}
        AND ${noneOpen('canary')} AND o.next_canary_at <= clock_timestamp()
        AND (o.watch_code IS NULL AND o.certified_until > now() OR o.watch_code = ANY(${[...LIFTED_BY_CANARY]}))
        AND ${CANARIES_OF_PROVIDER} < ${MOST_CANARIES_OF_ONE}
      ORDER BY ${CANARIES_OF_PROVIDER}, (o.watch_code IS NULL AND o.retries > 0) DESC, o.next_canary_at LIMIT 1
      FOR UPDATE OF o SKIP LOCKED`;
    return due;
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
