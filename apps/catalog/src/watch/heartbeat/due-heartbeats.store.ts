import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../../database/tokens';
import { WATCH_SETTINGS } from '../tokens';
import type { WatchSettings } from '../tokens';

/** An endpoint that has been silent for long is asked less often: each time it has missed this many, one interval later … */
const MISSES_PER_INTERVAL = 10;
/** … up to this many intervals. What is not asked at all is looked at as seldom. */
const MOST_INTERVALS = 10;

/** An offer whose heartbeat is due. */
export interface DueOffer {
  id: string;
  /** Whose endpoint and credential these are. */
  version: number;
  provider: string;
  endpoint: string;
  /** Sealed for dispatch. */
  credential: string | null;
  /** Heartbeats in a row. */
  missed: number;
  /** Nothing is held against it so far. */
  sound: boolean;
  /** False for what is not asked: versions that ended, offers and providers that an operator suspended. */
  asked: boolean;
}

const ON_THE_MARKET = Prisma.sql`
  SELECT id, live_version, provider_wallet, missed_heartbeats, watch_code, suspended_at FROM catalog.offers
  WHERE withdrawn_at IS NULL AND live_version IS NOT NULL`;

/** Whose heartbeat is due, shared out among the instances. */
@Injectable()
export class DueHeartbeatsStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    @Inject(WATCH_SETTINGS) private readonly settings: WatchSettings,
  ) {}

  /**
   * Takes due offers, the longest due first, and makes them due again an interval later: whoever stops with what it took leaves
   * nothing behind but one heartbeat that was not made. What is planned for later than anything is was planned before PostgreSQL's clock was
   * set back, and is due too. Every endpoint has a phase of its own within the interval, the same for all
   * offers of a provider there: so heartbeats are spread evenly, and offers that share an endpoint are taken together.
   */
  claim(limit: number): Promise<DueOffer[]> {
    const { heartbeatMs } = this.settings;
    return this.prisma.$queryRaw<DueOffer[]>`
      WITH due AS (
        ${ON_THE_MARKET} AND next_heartbeat_at <= now() ORDER BY next_heartbeat_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ), stray AS (
        -- By itself: whatever the planner was told, both are found by their index.
        ${ON_THE_MARKET} AND next_heartbeat_at > now() + ${2 * MOST_INTERVALS * heartbeatMs} * interval '1 ms'
        ORDER BY next_heartbeat_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ), told AS (
        SELECT o.id, o.live_version AS version, o.provider_wallet AS provider, v.endpoint, v.credential,
               o.missed_heartbeats = 0 AND o.watch_code IS DISTINCT FROM 'no_heartbeat' AS sound,
               o.suspended_at IS NULL AND p.suspended_at IS NULL AND v.expires_at > now() AS asked,
               o.missed_heartbeats AS missed,
               abs(hashtextextended(o.provider_wallet || v.endpoint, 0) % ${heartbeatMs}::bigint) AS phase
        FROM (SELECT * FROM due UNION ALL SELECT * FROM stray LIMIT ${limit}) o
        JOIN catalog.offer_versions v ON v.offer_id = o.id AND v.version = o.live_version
        JOIN catalog.providers p ON p.wallet = o.provider_wallet
      ), planned AS (
        SELECT *, CASE WHEN asked THEN LEAST(1 + missed / ${MISSES_PER_INTERVAL}::int, ${MOST_INTERVALS}::int)
                       ELSE ${MOST_INTERVALS}::int END AS intervals
        FROM told
      )
      UPDATE catalog.offers o
      SET next_heartbeat_at = to_timestamp((phase + ${heartbeatMs}::bigint *
            ceil((extract(epoch FROM now()) * 1000 - phase) / ${heartbeatMs}::bigint + intervals - 0.5)) / 1000.0)
      FROM planned t WHERE o.id = t.id
      RETURNING t.id, t.version, t.provider, t.endpoint, t.credential, t.missed, t.sound, t.asked`;
  }
}
