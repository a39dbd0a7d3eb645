import { Injectable } from '@nestjs/common';
import { isTimeUnit } from '@svc/contracts';
import type { SummariseUsageRequest, UsageDimension } from '@svc/contracts';
import { Prisma } from '@svc/persistence';
import { allOf, beginningOf, daysAndHours, equals, timeText, within } from './sql-fragments';
import type { KeptBy } from './sql-fragments';
import { StatementDatabase } from './statement-database';
import type { TimeRange } from './time-range';

/** Sums, as text: they may pass what a number holds. */
export interface SumsRow {
  readonly requests: string;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly cost: string;
  readonly unserved: string;
  readonly errors: string;
  readonly timed: string;
  readonly first_token_ms: string;
  readonly total_ms: string;
}

export interface GroupRow extends SumsRow {
  readonly moment?: string;
  readonly key_id?: string;
  readonly model?: string;
  readonly provider?: string;
}

/** One dimension of the groups: its column in the result, what makes it, and how a cursor brings its value back. */
interface GroupColumn {
  readonly name: Prisma.Sql;
  readonly value: Prisma.Sql;
  readonly shown: Prisma.Sql;
  readonly cast: Prisma.Sql;
}

const SUMMED = [
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'cost',
  'unserved',
  'errors',
  'timed',
  'first_token_ms',
  'total_ms',
] as const satisfies readonly (keyof SumsRow)[];

const SUMS = Prisma.raw(SUMMED.map((column) => `coalesce(sum(${column}), 0)::text AS ${column}`).join(', '));

const COLUMNS = Prisma.raw(['key_id', 'model', 'provider', ...SUMMED].join(', '));

type Selection = Omit<SummariseUsageRequest, 'cursor' | 'limit'>;

/** Sums of usage, from those kept by the day and, for what is less than a day, by the hour. */
@Injectable()
export class UsageSummaryStore {
  constructor(private readonly database: StatementDatabase) {}

  /**
   * The groups after `after`, and the sums over all groups, from one snapshot.
   * @param after the dimensions of the last group of the page before
   */
  async page(
    selection: Selection,
    after: readonly string[] | undefined,
    most: number,
  ): Promise<{ groups: GroupRow[]; totals: SumsRow | undefined }> {
    const { prisma } = this.database;
    const totals = prisma.$queryRaw<SumsRow[]>`SELECT ${SUMS} FROM ${daysAndHours(selection, sums)} s`;
    const columns = columnsOf(selection.by);
    if (columns.length === 0) {
      const [all] = await totals;
      return { groups: all ? [all] : [], totals: all };
    }
    const [groups, [all]] = await prisma.$transaction(
      [prisma.$queryRaw<GroupRow[]>(groupsQuery(selection, columns, after, most)), totals],
      { isolationLevel: 'RepeatableRead' },
    );
    return { groups, totals: all };
  }
}

function groupsQuery(
  selection: Selection,
  columns: readonly GroupColumn[],
  after: readonly string[] | undefined,
  most: number,
): Prisma.Sql {
  const byHour = selection.by.includes('hour');
  const source = byHour ? Prisma.sql`(${sums('hour', selection, selection)})` : daysAndHours(selection, sums);
  const list = (part: (column: GroupColumn) => Prisma.Sql) => Prisma.join(columns.map(part));
  const values = list(({ value }) => value);
  const where = after
    ? Prisma.sql`WHERE (${values}) > (${Prisma.join(columns.map(({ cast }, at) => Prisma.sql`${after[at]}::${cast}`))})
                   AND ${columns[0]?.value} >= ${after[0]}::${columns[0]?.cast}`
    : Prisma.empty;
  return Prisma.sql`
    SELECT ${list(({ shown, name }) => Prisma.sql`${shown} AS ${name}`)}, ${SUMS}
    FROM ${source} s ${where} GROUP BY ${values} ORDER BY ${values} LIMIT ${most}`;
}

/** In the order in which groups are sorted. */
function columnsOf(by: readonly UsageDimension[]): GroupColumn[] {
  const columns: GroupColumn[] = [];
  if (unitOf(by) !== undefined) {
    // Not by the name of the result's column: ORDER BY would take that, which is text, and no index has it.
    const value = Prisma.sql`began`;
    columns.push({ name: Prisma.sql`moment`, value, shown: timeText(value), cast: Prisma.sql`timestamptz` });
  }
  for (const [dimension, column] of [
    ['key', Prisma.sql`key_id`],
    ['model', Prisma.sql`model`],
    ['provider', Prisma.sql`provider`],
  ] as const) {
    if (!by.includes(dimension)) continue;
    columns.push({ name: column, value: column, shown: column, cast: Prisma.sql`text` });
  }
  return columns;
}

function unitOf(by: readonly UsageDimension[]) {
  return by.find(isTimeUnit);
}

/** What one table knows, each row with the time that its group began. */
function sums(kept: KeptBy, selection: Selection, range: TimeRange): Prisma.Sql {
  const { wallet, keyId, model, provider, by } = selection;
  const column = Prisma.raw(kept);
  const began = beginningOf(unitOf(by) ?? kept, kept);
  return Prisma.sql`
    SELECT ${began} AS began, ${COLUMNS} FROM ${Prisma.raw(`billing.usage_${kept}`)}
    WHERE ${allOf([
      Prisma.sql`wallet = ${wallet}`,
      equals(Prisma.sql`key_id`, keyId),
      equals(Prisma.sql`model`, model),
      equals(Prisma.sql`provider`, provider),
      ...within(column, range.from, range.to),
    ])}`;
}
