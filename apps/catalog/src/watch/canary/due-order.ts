import type { CertificationKind } from '@svc/contracts';
import { Prisma } from '@svc/persistence';

/** What of one kind is due; expressions are by `o`, the offer. */
export interface DueRuns {
  kind: CertificationKind;
  isDue: Prisma.Sql;
  /** Since when it is, or how near its end is: what has the earliest of a provider's comes first. */
  dueAt: Prisma.Sql;
  /** Which of a provider's come before its others. */
  comesFirst: Prisma.Sql;
  /** How many may be open of one provider: endpoints that drag their feet keep nobody else from being looked at. */
  mostOfOne: number;
  /** Providers that have not been looked at for longer than this, ms, count as having waited equally long. */
  rememberedMs: number;
  /** How many may be open however few are due. */
  leastOpen: number;
  /** By `due_run`, whose columns `dueOrder` tells. */
  order: Prisma.Sql;
}

/** One may be open for each this many that are due, where that is more than the least: in a day a place does nearly three times as many, if each takes ten minutes … */
export const DUE_A_PLACE = 50;
/** … but no more than this, of which the instances take as many as they have places for. */
const MOST_OPEN = 32;

/** On the market, but for what watching may have found. */
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

/**
 * What is to be ordered next, as far as there is room; selects the columns `id`, `version`, `"watchCode"` and `retries`, and locks the offers.
 * Of a provider at most `mostOfOne` are open, and among those that have the fewest it is the turn of whom nobody has looked at for longest: one
 * provider's offers, however many and however long they take, cost the others one turn. What another transaction has changed meanwhile is
 * looked at once more.
 *
 * - `open_run`: what is open of the kind, which is little: read once, not for each offer that is due. One of the other kind is in nobody's way.
 * - `watched`: of these what was ordered of versions that serve. What waits for a suspended provider, however long, is in nobody's way; what
 *   waits for an endpoint to be less busy is in its own provider's alone.
 * - `due_run`: `comes_first`, and `turn`, the how many-th of those that come first it is, or of the others; those that are open included
 */
export function dueOrder(due: DueRuns): Prisma.Sql {
  const { kind, isDue, dueAt, comesFirst, mostOfOne, rememberedMs, leastOpen, order } = due;
  return Prisma.sql`
    WITH open_run AS MATERIALIZED (
      SELECT c.offer_id, o.provider_wallet, ${comesFirst} AS comes_first, c.busy_times,
        p.suspended_at IS NULL AND (c.kind = 'canary' OR c.version = o.live_version) AS is_watched
      FROM catalog.certifications c
      JOIN catalog.offers o ON o.id = c.offer_id
      JOIN catalog.providers p ON p.wallet = o.provider_wallet
      WHERE c.kind = ${kind} AND c.status IN ('queued', 'running')
    ), watched AS MATERIALIZED (
      SELECT * FROM open_run WHERE is_watched
    ), due AS MATERIALIZED (
      SELECT o.id, o.provider_wallet, ${comesFirst} AS comes_first, ${dueAt} AS due_at
      ${ASKED} AND ${isDue} AND NOT EXISTS (SELECT FROM open_run r WHERE r.offer_id = o.id)
    ), looked AS MATERIALIZED (
      SELECT o.provider_wallet, max(last.requested_at) AS at
      FROM catalog.offers o
      CROSS JOIN LATERAL (
        SELECT c.requested_at FROM catalog.certifications c
        WHERE c.offer_id = o.id AND c.kind = ${kind} AND c.ordered_by = 'house'
          AND c.requested_at BETWEEN now() - ${rememberedMs} * interval '1 ms' AND clock_timestamp()
        ORDER BY c.requested_at DESC LIMIT 1
      ) last
      WHERE o.provider_wallet IN (SELECT d.provider_wallet FROM due d)
      GROUP BY o.provider_wallet
    ), of_providers AS (
      SELECT d.*, l.at AS looked_at,
        (SELECT count(*) FROM watched r WHERE r.provider_wallet = d.provider_wallet)
          + row_number() OVER (PARTITION BY d.provider_wallet ORDER BY d.comes_first DESC, d.due_at) AS of_provider
      FROM due d LEFT JOIN looked l ON l.provider_wallet = d.provider_wallet
    ), due_run AS MATERIALIZED (
      SELECT *, (SELECT count(*) FROM watched r WHERE r.comes_first = p.comes_first)
        + row_number() OVER (PARTITION BY comes_first ORDER BY of_provider, looked_at NULLS FIRST, due_at) AS turn
      FROM of_providers p WHERE of_provider <= ${mostOfOne}
    )
    SELECT o.id, o.live_version AS version, o.watch_code AS "watchCode", o.retries
    FROM catalog.offers o JOIN due_run ON due_run.id = o.id
    WHERE ${STANDS} AND ${isDue}
    ORDER BY ${order}
    LIMIT greatest(0, least(${MOST_OPEN}, greatest(${leastOpen}, (SELECT count(*) FROM due) / ${DUE_A_PLACE}))
      - (SELECT count(*) FROM watched WHERE busy_times = 0))
    FOR UPDATE OF o SKIP LOCKED`;
}
