import { Prisma } from '@svc/persistence';

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
