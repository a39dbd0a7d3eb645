import { createTestDatabase } from '@svc/testing';
import { databaseReadiness } from './database-readiness';
import { createPrismaClient } from './prisma-client';

describe('databaseReadiness', () => {
  it('says of a database that takes no writes, as a standby, that it is read-only', async () => {
    const database = await createTestDatabase();
    const url = new URL(database.billingUrl);
    const writable = createPrismaClient(url.href);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const standby = createPrismaClient(url.href);
    try {
      expect(await databaseReadiness(writable).check()).toEqual({ up: true });
      expect(await databaseReadiness(standby).check()).toEqual({ up: false, detail: 'read-only' });
    } finally {
      await Promise.all([writable.$disconnect(), standby.$disconnect()]);
      await database.drop();
    }
  });
});
