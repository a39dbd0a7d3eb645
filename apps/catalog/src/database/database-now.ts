import type { Prisma } from '@svc/persistence';

/**
 * The time by the database's clock, which also asks what is due and what is over: a moment that is kept in a row is taken from it, or how
 * long something takes would depend on how far this machine's clock is from the database's.
 */
export async function databaseNow(database: Pick<Prisma.TransactionClient, '$queryRaw'>): Promise<Date> {
  // As a number it is read without a time zone. clock_timestamp(), for a transaction may have waited since it began.
  const [row] = await database.$queryRaw<{ nowMs: number }[]>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`;
  if (!row) throw new Error('the database does not tell the time');
  return new Date(row.nowMs);
}
