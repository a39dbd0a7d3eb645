import type { PrismaClient } from '@svc/persistence';

/** How many rows of one of the catalogue's tables were read so far over the client's connection, of which it must have one alone. */
export async function rowsRead(prisma: PrismaClient, table: string): Promise<number> {
  await prisma.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
  const [row] = await prisma.$queryRaw<{ rows: number }[]>`
    SELECT (seq_tup_read + idx_tup_fetch)::float8 AS rows FROM pg_stat_user_tables
    WHERE schemaname = 'catalog' AND relname = ${table}`;
  return row?.rows ?? NaN;
}
