import { Injectable } from '@nestjs/common';
import type { ListEarningsRequest } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import { allOf, equals, timeText, within } from './sql-fragments';
import { StatementDatabase } from './statement-database';

/** Sums, as text. */
export interface EarningSumsRow {
  readonly requests: string;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly credited: string;
}

interface EarningRow extends EarningSumsRow {
  readonly moment: string;
  readonly model: string;
}

interface EarningAccountRow {
  readonly credited: string;
  readonly released: string;
  readonly paid_out: string;
}

const SUMS = Prisma.sql`
  coalesce(sum(requests), 0)::text AS requests, coalesce(sum(prompt_tokens), 0)::text AS prompt_tokens,
  coalesce(sum(completion_tokens), 0)::text AS completion_tokens, coalesce(sum(credited), 0)::text AS credited`;

const HOUR = Prisma.sql`hour`;

@Injectable()
export class EarningsStore {
  constructor(private readonly database: StatementDatabase) {}

  /** The lines after `after` (time, model), the sums over all of them, and the provider's account; from one snapshot. */
  async page(
    request: ListEarningsRequest,
    after: readonly string[] | undefined,
    most: number,
  ): Promise<{
    lines: EarningRow[];
    totals: EarningSumsRow | undefined;
    account: EarningAccountRow | undefined;
  }> {
    const { provider, model, from, to, by } = request;
    const { prisma } = this.database;
    const moment = by === 'hour' ? HOUR : Prisma.sql`date_trunc(${Prisma.raw(`'${by}'`)}, hour, 'UTC')`;
    const selected = [
      Prisma.sql`provider = ${provider}`,
      equals(Prisma.sql`model`, model),
      ...within(HOUR, from, to),
    ];
    const beyond =
      after &&
      Prisma.sql`(${moment}, model) > (${after[0]}::timestamptz, ${after[1]}) AND hour >= ${after[0]}::timestamptz`;
    const [lines, [totals], [account]] = await prisma.$transaction(
      [
        prisma.$queryRaw<EarningRow[]>`
          SELECT ${timeText(moment)} AS moment, model, ${SUMS} FROM billing.provider_hour
          WHERE ${allOf([...selected, beyond])}
          GROUP BY ${moment}, model ORDER BY ${moment}, model LIMIT ${most}`,
        // What is selected, and all there is, in one reading.
        prisma.$queryRaw<(EarningSumsRow & { ever: string })[]>`
          SELECT coalesce(sum(requests) FILTER (WHERE chosen), 0)::text AS requests,
                 coalesce(sum(prompt_tokens) FILTER (WHERE chosen), 0)::text AS prompt_tokens,
                 coalesce(sum(completion_tokens) FILTER (WHERE chosen), 0)::text AS completion_tokens,
                 coalesce(sum(credited) FILTER (WHERE chosen), 0)::text AS credited,
                 coalesce(sum(credited), 0)::text AS ever
          FROM (SELECT *, ${allOf(selected)} AS chosen FROM billing.provider_hour WHERE provider = ${provider}) s`,
        prisma.$queryRaw<{ released: string; paid_out: string }[]>`
          SELECT coalesce((SELECT released FROM billing.provider_released WHERE provider = ${provider}), 0)::text AS released,
                 coalesce((SELECT paid_safe FROM billing.provider_paid WHERE provider = ${provider}), 0)::text AS paid_out`,
      ],
      { isolationLevel: 'RepeatableRead' },
    );
    return { lines, totals, account: totals && account && { ...account, credited: totals.ever } };
  }
}
