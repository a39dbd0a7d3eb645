import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { recentSuspensions } from './suspension-memory';

const OFFER = 'ofr_1';

let database: TestDatabase;
let prisma: PrismaClient;

beforeAll(async () => {
  database = await createTestDatabase();
  prisma = createPrismaClient(database.catalogUrl, { maxConnections: 1 });
  await prisma.$executeRaw`
    INSERT INTO catalog.audit (at, actor, action, subject, reason)
    SELECT now() - hour * interval '1 hour', actor, action, ${OFFER}, reason
    FROM generate_series(1, 2000) hour,
      (VALUES ('0x1', 'offer.submit', 'version 1'), ('catalog', 'offer.suspended', 'failing: requests failed'),
        ('catalog', 'offer.suspended', 'no_heartbeat: no answer')) AS entries (actor, action, reason)`;
  const owner = new Client({ connectionString: database.adminUrl });
  await owner.connect();
  await owner.query('ANALYZE');
  await owner.end();
});

afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});

/** How many rows of the trail were read so far, over the one connection. */
async function rowsRead(): Promise<number> {
  await prisma.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
  const [row] = await prisma.$queryRaw<{ rows: number }[]>`
    SELECT (seq_tup_read + idx_tup_fetch)::float8 AS rows FROM pg_stat_user_tables
    WHERE schemaname = 'catalog' AND relname = 'audit'`;
  return row?.rows ?? NaN;
}

it('counts the suspensions of a day without reading all that was ever done to the offer', async () => {
  const before = await rowsRead();
  await expect(prisma.$transaction((tx) => recentSuspensions(tx, OFFER))).resolves.toBe(23);
  expect((await rowsRead()) - before).toBeLessThan(100);
});
