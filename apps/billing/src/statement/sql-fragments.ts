import { Prisma } from '@svc/persistence';
import { splitByDay } from './time-range';
import type { TimeRange } from './time-range';

/** Sums are kept twice: in a table by the hour, and in one by the day. */
export type KeptBy = 'hour' | 'day';

/** A column's time as statements show it: UTC with microseconds, so that it orders and returns exactly. */
export function timeText(column: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** All of the conditions; those that are undefined are left out. */
export function allOf(conditions: readonly (Prisma.Sql | undefined)[]): Prisma.Sql {
  return Prisma.join(
    conditions.filter((condition) => condition !== undefined),
    ' AND ',
  );
}

/** `column = value`, when there is a value. */
export function equals(column: Prisma.Sql, value: string | undefined): Prisma.Sql | undefined {
  return value === undefined ? undefined : Prisma.sql`${column} = ${value}`;
}

/** Both ends of a range of time, as far as they are given. */
export function within(column: Prisma.Sql, from: string | undefined, to: string | undefined): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (from !== undefined) conditions.push(Prisma.sql`${column} >= ${from}::timestamptz`);
  if (to !== undefined) conditions.push(Prisma.sql`${column} < ${to}::timestamptz`);
  return conditions;
}

/**
 * The rows of a range of time: of whole days from the table by the day, of what is before and after them from that by the hour.
 * @param rows those that one of the tables has of a range
 */
export function daysAndHours<Selection extends TimeRange>(
  selection: Selection,
  rows: (kept: KeptBy, selection: Selection, range: TimeRange) => Prisma.Sql,
): Prisma.Sql {
  const { days, hours } = splitByDay(selection);
  const parts = hours.map((range) => rows('hour', selection, range));
  if (days) parts.push(rows('day', selection, days));
  return Prisma.sql`(${Prisma.join(parts, ' UNION ALL ')})`;
}

/** When the hour, day or month began that a row's own hour or day falls in; the row's column has the name of what it is kept by. */
export function beginningOf(unit: KeptBy | 'month', kept: KeptBy): Prisma.Sql {
  const column = Prisma.raw(kept);
  // As it stands where it can, so that the index's order is the groups' order.
  return unit === kept ? column : Prisma.sql`date_trunc(${Prisma.raw(`'${unit}'`)}, ${column}, 'UTC')`;
}
