import { Injectable } from '@nestjs/common';
import type { RouteStep, TokenSource, UsageLineSelection } from '@svc/contracts';
import type { ErrorCode } from '@svc/errors';
import { Prisma } from '@svc/persistence';
import { allOf, equals, timeText, within } from './sql-fragments';
import { StatementDatabase } from './statement-database';
import { hourOf } from './time-range';

/** What every row has; amounts as text, base units. */
interface RequestRow {
  readonly hold_id: string;
  /** UTC with microseconds. */
  readonly created_at: string;
  readonly key_id: string;
  readonly model: string;
  readonly route: RouteStep[] | null;
  readonly held: string;
  readonly charged: string;
  readonly total_ms: number | null;
}

/** A usage record as statements show it. */
export interface ServedRow extends RequestRow {
  readonly provider: string;
  readonly offer_id: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly token_source: TokenSource;
  readonly input_price_per_mtok: string;
  readonly output_price_per_mtok: string;
  readonly attempts: number;
  readonly finish_reason: string;
  readonly first_token_ms: number | null;
  readonly late: boolean;
  readonly refunded: boolean;
}

/** A request that nobody served. */
interface UnservedRow extends RequestRow {
  readonly provider: null;
  readonly attempts: number | null;
  readonly reason: string;
  readonly code: ErrorCode | null;
}

export type UsageRow = ServedRow | UnservedRow;

/** The line that a page ended with. */
export interface UsagePosition {
  readonly createdAt: string;
  readonly requestId: string;
}

const NEWEST_FIRST = Prisma.sql`ORDER BY created_at DESC, hold_id DESC`;

@Injectable()
export class UsageListStore {
  constructor(private readonly database: StatementDatabase) {}

  /**
   * At most `most` lines of the selection, the newest first, beginning after `after`. OFFSET 0 keeps each lookup a lookup of one row by its
   * key: a planner that was told of few rows reads all that a wallet has, for each line.
   */
  page(selection: UsageLineSelection, after: UsagePosition | undefined, most: number): Promise<UsageRow[]> {
    const { keyId, model, provider, outcome } = selection;
    // Few of many may be what somebody served, or nobody did.
    const narrowed = (keyId ?? model ?? provider ?? outcome) !== undefined;
    const lines = narrowed ? narrowedLines(selection, after, most) : allLines(selection, after, most);
    return this.database.prisma.$queryRaw<UsageRow[]>`
      SELECT l.hold_id, ${timeText(Prisma.sql`l.created_at`)} AS created_at, ${ROW}
      FROM (${lines}) l
      LEFT JOIN LATERAL (
        SELECT * FROM billing.usage_record o
        WHERE l.provider <> '' AND o.wallet = ${selection.wallet} AND o.hold_id = l.hold_id
        OFFSET 0
      ) u ON true
      LEFT JOIN LATERAL (
        SELECT * FROM billing.unserved_request o
        WHERE l.provider = '' AND o.wallet = ${selection.wallet} AND o.hold_id = l.hold_id
        OFFSET 0
      ) f ON true
      LEFT JOIN LATERAL (
        SELECT * FROM billing.credit o
        WHERE o.wallet = ${selection.wallet} AND o.kind = 'refund' AND o.credit_id = u.hold_id
        OFFSET 0
      ) c ON true
      ORDER BY l.created_at DESC, l.hold_id DESC`;
  }
}

/** Of `u`, a usage record with its refund `c`, or of `f`, a request that nobody served. */
export const ROW = Prisma.sql`
  coalesce(u.key_id, f.key_id) AS key_id, coalesce(u.model, f.model) AS model, u.provider, u.offer_id, u.prompt_tokens,
  u.completion_tokens, u.token_source, u.input_price_per_mtok::text, u.output_price_per_mtok::text,
  coalesce(u.attempts, f.attempts)::integer AS attempts, u.finish_reason, coalesce(u.route, f.route) AS route,
  coalesce(u.held, f.held)::text AS held, CASE WHEN u.late THEN '0' ELSE coalesce(u.cost, 0)::text END AS charged, u.late,
  c.credit_id IS NOT NULL AS refunded, u.first_token_ms, coalesce(u.total_ms, f.total_ms) AS total_ms, f.reason, f.code`;

function allLines(
  { wallet, from, to }: UsageLineSelection,
  after: UsagePosition | undefined,
  most: number,
): Prisma.Sql {
  return Prisma.sql`
    SELECT created_at, hold_id, provider FROM billing.usage_line
    WHERE ${allOf([
      Prisma.sql`wallet = ${wallet}`,
      ...within(Prisma.sql`created_at`, from, to),
      beyond(after),
    ])}
    ${NEWEST_FIRST} LIMIT ${most}`;
}

/**
 * Lines of one key, model, provider or outcome may lie far apart. Which hours have any, and of which series (key, model and
 * provider together), the sums by the hour know; only lines of these are read, as many as the page needs.
 */
function narrowedLines(
  selection: UsageLineSelection,
  after: UsagePosition | undefined,
  most: number,
): Prisma.Sql {
  const { wallet, keyId, model, provider, outcome, from, to } = selection;
  const series = allOf([
    Prisma.sql`wallet = ${wallet}`,
    equals(Prisma.sql`key_id`, keyId),
    equals(Prisma.sql`model`, model),
    equals(Prisma.sql`provider`, provider),
    servedOrNot(outcome),
  ]);
  // The hour in which the page begins counts only in part, so not towards what is enough.
  const begin = after?.createdAt ?? to;
  const columns = Prisma.sql`hour, key_id, model, provider`;
  const whole = allOf([series, ...within(Prisma.sql`hour`, from && hourOf(from), begin && hourOf(begin))]);
  const first = begin
    ? Prisma.sql`SELECT ${columns}, 0::bigint AS requests, 0 AS above FROM billing.usage_hour
                 WHERE ${series} AND hour = ${hourOf(begin)}::timestamptz UNION ALL`
    : Prisma.empty;
  return Prisma.sql`
    SELECT l.created_at, l.hold_id, cells.provider
    FROM (
      ${first}
      SELECT ${columns}, requests, sum(requests) OVER (ORDER BY hour DESC GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS above
      FROM (
        SELECT ${columns}, requests + unserved AS requests FROM billing.usage_hour WHERE ${whole}
        ORDER BY hour DESC FETCH FIRST ${most} ROWS WITH TIES
      ) enough
    ) cells
    CROSS JOIN LATERAL (
      SELECT created_at, hold_id FROM billing.usage_line u
      WHERE ${allOf([
        Prisma.sql`u.wallet = ${wallet} AND u.key_id = cells.key_id AND u.model = cells.model`,
        Prisma.sql`u.provider = cells.provider`,
        Prisma.sql`u.created_at >= cells.hour AND u.created_at < cells.hour + interval '1 hour'`,
        ...within(Prisma.sql`u.created_at`, from, to),
        beyond(after),
      ])}
      ${NEWEST_FIRST} LIMIT ${most}
    ) l
    WHERE coalesce(cells.above, 0) < ${most}
    ${NEWEST_FIRST} LIMIT ${most}`;
}

/** What nobody served has no provider. */
function servedOrNot(outcome: UsageLineSelection['outcome']): Prisma.Sql | undefined {
  if (outcome === undefined) return undefined;
  return outcome === 'served' ? Prisma.sql`provider <> ''` : Prisma.sql`provider = ''`;
}

function beyond(after: UsagePosition | undefined): Prisma.Sql | undefined {
  return after && Prisma.sql`(created_at, hold_id) < (${after.createdAt}::timestamptz, ${after.requestId})`;
}
