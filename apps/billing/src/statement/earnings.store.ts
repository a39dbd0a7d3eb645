import { Injectable } from '@nestjs/common';
import type { ListEarningsRequest } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import { allOf, beginningOf, daysAndHours, equals, timeText, within } from './sql-fragments';
import type { KeptBy } from './sql-fragments';
import { StatementDatabase } from './statement-database';
import type { TimeRange } from './time-range';

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

const SUMMED = [
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'credited',
] as const satisfies readonly (keyof EarningSumsRow)[];

const SUMS = Prisma.raw(SUMMED.map((column) => `coalesce(sum(${column}), 0)::text AS ${column}`).join(', '));

const COLUMNS = Prisma.raw(['model', ...SUMMED].join(', '));

type Selection = Omit<ListEarningsRequest, 'cursor' | 'limit'>;

/** Sums of earnings, from those kept by the day and, for what is less than a day, by the hour. */
@Injectable()
export class EarningsStore {
  constructor(private readonly database: StatementDatabase) {}

  /** The lines after `after` (time, model), the sums over all of them, and the provider's account; from one snapshot. */
  async page(
    selection: Selection,
    after: readonly string[] | undefined,
    most: number,
  ): Promise<{
    lines: EarningRow[];
    totals: EarningSumsRow | undefined;
    account: EarningAccountRow | undefined;
  }> {
    const { provider } = selection;
    const { prisma } = this.database;
    const source =
      selection.by === 'hour'
        ? Prisma.sql`(${sums('hour', selection, selection)})`
        : daysAndHours(selection, sums);
    const beyond = after
      ? Prisma.sql`WHERE (began, model) > (${after[0]}::timestamptz, ${after[1]}) AND began >= ${after[0]}::timestamptz`
      : Prisma.empty;
    const [lines, [totals], [account]] = await prisma.$transaction(
      [
        prisma.$queryRaw<EarningRow[]>`
          SELECT ${timeText(Prisma.sql`began`)} AS moment, model, ${SUMS} FROM ${source} s ${beyond}
          GROUP BY began, model ORDER BY began, model LIMIT ${most}`,
        prisma.$queryRaw<EarningSumsRow[]>`SELECT ${SUMS} FROM ${daysAndHours(selection, sums)} s`,
        prisma.$queryRaw<EarningAccountRow[]>`
          SELECT coalesce((SELECT sum(credited) FROM billing.provider_day WHERE provider = ${provider}), 0)::text AS credited,
                 coalesce((SELECT released FROM billing.provider_released WHERE provider = ${provider}), 0)::text AS released,
                 coalesce((SELECT paid_safe FROM billing.provider_paid WHERE provider = ${provider}), 0)::text AS paid_out`,
      ],
      { isolationLevel: 'RepeatableRead' },
    );
    return { lines, totals, account };
  }
}

/** What one table knows, each row with the time that its line began. */
function sums(kept: KeptBy, { provider, model, by }: Selection, range: TimeRange): Prisma.Sql {
  const column = Prisma.raw(kept);
  const began = beginningOf(by, kept);
  return Prisma.sql`
    SELECT ${began} AS began, ${COLUMNS} FROM ${Prisma.raw(`billing.provider_${kept}`)}
    WHERE ${allOf([
      Prisma.sql`provider = ${provider}`,
      equals(Prisma.sql`model`, model),
      ...within(column, range.from, range.to),
    ])}`;
}
