import { createTestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { isPooledByTransaction } from './pooler';

it('knows two connections that are one behind a pooler from two', async () => {
  const database = await createTestDatabase();
  const [one, other] = [0, 1].map(() => new Client({ connectionString: database.billingUrl }));
  try {
    await Promise.all([one?.connect(), other?.connect()]);
    expect(await isPooledByTransaction(one as Client, other as Client)).toBe(false);
    // What a transaction pooler of one connection makes of two.
    expect(await isPooledByTransaction(one as Client, one as Client)).toBe(true);
  } finally {
    await Promise.all([one?.end(), other?.end()]);
    await database.drop();
  }
});
