import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { rowsRead } from '../rows-read.for-spec';
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

it('counts the suspensions of a day without reading all that was ever done to the offer', async () => {
  const before = await rowsRead(prisma, 'audit');
  await expect(prisma.$transaction((tx) => recentSuspensions(tx, OFFER))).resolves.toBe(23);
  expect((await rowsRead(prisma, 'audit')) - before).toBeLessThan(100);
});
