import { createTestDatabase } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { refuseMisfit } from './refuse-misfit';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function urlWith(change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port'>>): string {
  return Object.assign(new URL(database.billingUrl), change).href;
}

describe('refuseMisfit', () => {
  it.each([
    ['password', { password: 'wrong' }, 'password authentication failed for user "svc_billing"'],
    ['role', { username: 'nobody' }, 'password authentication failed for user "nobody"'],
    ['database', { pathname: '/none' }, 'database "none" does not exist'],
  ])('refuses a database for another %s', async (_, change, reason) => {
    const refusal = `DATABASE_URL does not fit: ${reason}`;
    await expect(refuseMisfit(urlWith(change))).rejects.toThrow(refusal);
  });

  it('refuses one that the role may not connect to', async () => {
    const client = new Client({ connectionString: database.adminUrl });
    await client.connect();
    await client.query(`REVOKE CONNECT ON DATABASE ${database.name} FROM svc_catalog`);
    await client.end();
    const refusal = `DATABASE_URL does not fit: permission denied for database "${database.name}"`;
    await expect(refuseMisfit(database.catalogUrl)).rejects.toThrow(refusal);
  });

  it('takes the right one, and leaves one that does not answer for later', async () => {
    await refuseMisfit(database.billingUrl);
    await refuseMisfit(urlWith({ port: '1' }));
  });
});
