import { TcpLink, createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { awaitDatabase } from './await-database';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function urlWith(change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port'>>): string {
  return Object.assign(new URL(database.billingUrl), change).href;
}

const nobody = () => undefined;

describe('awaitDatabase', () => {
  it.each([
    ['password', { password: 'wrong' }, 'password authentication failed for user "svc_billing"'],
    ['role', { username: 'nobody' }, 'password authentication failed for user "nobody"'],
    ['database', { pathname: '/none' }, 'database "none" does not exist'],
  ])('refuses a database for another %s', async (_, change, reason) => {
    const refusal = `DATABASE_URL does not fit: ${reason}`;
    await expect(awaitDatabase(urlWith(change), nobody)).rejects.toThrow(refusal);
  });

  it('refuses one that the role may not connect to', async () => {
    const client = new Client({ connectionString: database.adminUrl });
    await client.connect();
    await client.query(`REVOKE CONNECT ON DATABASE ${database.name} FROM svc_catalog`);
    await client.end();
    const refusal = `DATABASE_URL does not fit: permission denied for database "${database.name}"`;
    await expect(awaitDatabase(database.catalogUrl, nobody)).rejects.toThrow(refusal);
  });

  it('takes the right one', async () => {
    const told = jest.fn();
    await awaitDatabase(database.billingUrl, told);
    expect(told).not.toHaveBeenCalled();
  });

  it('waits for one that does not answer, and says so once', async () => {
    const former = await TcpLink.open(database.billingUrl);
    const { port } = former;
    await former.close();
    const told = jest.fn();
    let isThere = false;
    const waiting = awaitDatabase(urlWith({ port: String(port) }), told).then(() => (isThere = true));
    await eventually(() => told.mock.calls.length > 0);
    expect(isThere).toBe(false);
    const link = await TcpLink.open(database.billingUrl, port);
    await waiting;
    expect(told).toHaveBeenCalledTimes(1);
    await link.close();
  });
});
