import type { PrismaClient } from '@svc/persistence';

/**
 * What `work` comes to, and how many rows of the tables, or entries of their indexes, the database reads for it.
 * @param prisma what `work` reads over, of one connection
 */
export async function rowsRead<Result>(
  prisma: PrismaClient,
  work: () => Promise<Result>,
): Promise<[Result, read: number]> {
  const before = await readSoFar(prisma);
  const result = await work();
  return [result, (await readSoFar(prisma)) - before];
}

async function readSoFar(prisma: PrismaClient): Promise<number> {
  await prisma.$queryRaw`SELECT 1 FROM pg_stat_force_next_flush()`;
  const [row] = await prisma.$queryRaw<{ read: number }[]>`
    SELECT ((SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE schemaname = 'billing')
            + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = 'billing'))::float8 AS read`;
  return row?.read ?? NaN;
}
