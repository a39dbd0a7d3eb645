import { Prisma } from '@svc/persistence';
import type { CertificationSettings } from './certification.settings';

/** Scheme, host and port, as far as they are written alike. */
const ORIGIN = Prisma.sql`regexp_replace(lower(substring(v.endpoint from '^[^/]+//[^/?#]+')), ':(80|443)$', '')`;

/**
 * The run to be taken next, of those that nobody has a lease on:
 *
 * 1. Of what the instance has fewest of under way: canaries, renewals of what serves, what is new. So none of them waits for the others to be
 *    done, however many these are and however long they take.
 * 2. Of as many, canaries and renewals before what is new, wherever that says it lives.
 * 3. Runs of providers and at servers that have none of their kind under way before others, on whichever instance: an endpoint that drags
 *    its feet keeps its own offers waiting.
 * 4. Whichever has waited longest.
 *
 * Neither what serves nor what is new takes the last place of an instance, so that there is always one for the other; and one provider, or
 * server, leaves one more of those for what is new to others. Nothing of a suspended provider is taken. A lease, or a rest, that ends later
 * than any does is from before PostgreSQL's clock was set back: nobody has it.
 * @param underWay what the instance runs itself, which it never takes: a lease runs out while its machine is suspended, or when PostgreSQL's clock
 *   is set forward, and the next renewal makes it good
 */
export function nextRun(
  { runner, concurrency }: CertificationSettings,
  underWay: readonly string[],
): Prisma.Sql {
  const mostOfASort = Math.max(1, concurrency - 1);
  const mostOfOne = Math.max(1, concurrency - 2);
  return Prisma.sql`
    WITH open AS (
      SELECT c.id, c.kind, c.status, c.runner, c.leased_until, c.requested_at, o.provider_wallet, ${ORIGIN} AS origin,
        c.kind = 'full' AND c.version IS DISTINCT FROM o.live_version AS is_new
      FROM catalog.certifications c
      JOIN catalog.offers o ON o.id = c.offer_id
      JOIN catalog.providers p ON p.wallet = o.provider_wallet
      JOIN catalog.offer_versions v ON v.offer_id = c.offer_id AND v.version = c.version
      WHERE c.status IN ('queued', 'running')
        AND (p.suspended_at IS NULL OR c.runner IS NOT NULL AND c.leased_until >= now())
    ), under_way AS (
      SELECT *, runner = ${runner} AS is_here FROM open WHERE status = 'running' AND runner IS NOT NULL AND leased_until >= now()
    ), waiting AS (
      SELECT w.*, alike.*, others.*
      FROM open w CROSS JOIN LATERAL (
        SELECT count(*) AS of_sort, count(*) FILTER (WHERE u.kind = w.kind) AS of_kind
        FROM under_way u WHERE u.is_here AND u.is_new = w.is_new
      ) alike CROSS JOIN LATERAL (
        SELECT count(*) AS beside, count(*) FILTER (WHERE u.is_here AND u.is_new) AS new_here
        FROM under_way u
        WHERE u.kind = w.kind AND (u.provider_wallet = w.provider_wallet OR u.origin = w.origin)
      ) others
      WHERE w.leased_until IS NULL OR w.leased_until < now() OR w.leased_until > now() + interval '1 hour'
    )
    SELECT c.id FROM catalog.certifications c JOIN waiting w ON w.id = c.id
    WHERE w.id <> ALL(${underWay}) AND w.of_sort < ${mostOfASort} AND (NOT w.is_new OR w.new_here < ${mostOfOne})
    ORDER BY w.of_kind, w.is_new, w.beside, w.requested_at LIMIT 1
    FOR UPDATE OF c SKIP LOCKED`;
}
