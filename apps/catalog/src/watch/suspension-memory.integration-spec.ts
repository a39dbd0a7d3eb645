import { CountedDatabase } from '../counted-database.for-spec';
import { recentSuspensions } from './suspension-memory';

const OFFER = 'ofr_1';

let database: CountedDatabase;

beforeAll(async () => {
  database = await CountedDatabase.start();
  await database.prisma.$executeRaw`
    INSERT INTO catalog.audit (at, actor, action, subject, reason)
    SELECT now() - hour * interval '1 hour', actor, action, ${OFFER}, reason
    FROM generate_series(1, 2000) hour,
      (VALUES ('0x1', 'offer.submit', 'version 1'), ('catalog', 'offer.suspended', 'failing: requests failed'),
        ('catalog', 'offer.suspended', 'no_heartbeat: no answer')) AS entries (actor, action, reason)`;
  await database.analyse();
});

afterAll(() => database.stop());

it('counts the suspensions of a day without reading all that was ever done to the offer', async () => {
  const before = await database.rowsRead('audit');
  await expect(database.prisma.$transaction((tx) => recentSuspensions(tx, OFFER, new Date()))).resolves.toBe(
    23,
  );
  expect((await database.rowsRead('audit')) - before).toBeLessThan(100);
});
