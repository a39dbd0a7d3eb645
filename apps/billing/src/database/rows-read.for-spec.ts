import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';

/**
 * What `work` comes to, and how many rows of the tables, or entries of their indexes, the database reads for it.
 * @param prisma what `work` reads over, of one connection
 */
export function rowsRead<Result>(
  prisma: PrismaClient,
  work: () => Promise<Result>,
): Promise<[Result, read: number]> {
  return readFor(prisma, work, ROWS);
}

/**
 * What `work` comes to, and how many pages of the tables and their indexes the database reads for it: also of entries that it passes over
 * within an index, which `rowsRead` does not see.
 * @param prisma what `work` reads over, of one connection
 */
export function pagesRead<Result>(
  prisma: PrismaClient,
  work: () => Promise<Result>,
): Promise<[Result, read: number]> {
  return readFor(prisma, work, PAGES);
}

const ROWS = Prisma.sql`
  (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'billing')
  + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = 'billing')`;

const PAGES = Prisma.sql`
  (SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)) FROM pg_statio_user_tables
   WHERE schemaname = 'billing')`;

async function readFor<Result>(
  prisma: PrismaClient,
  work: () => Promise<Result>,
  what: Prisma.Sql,
): Promise<[Result, read: number]> {
  const before = await readSoFar(prisma, what);
  const result = await work();
  return [result, (await readSoFar(prisma, what)) - before];
}

async function readSoFar(prisma: PrismaClient, what: Prisma.Sql): Promise<number> {
  await prisma.$queryRaw`SELECT 1 FROM pg_stat_force_next_flush()`;
  const [row] = await prisma.$queryRaw<{ read: number }[]>`SELECT (${what})::float8 AS read`;
  return row?.read ?? NaN;
}
