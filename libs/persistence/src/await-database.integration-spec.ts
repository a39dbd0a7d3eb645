import { createServer, connect } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { createTestDatabase, eventually } from '@svc/testing';
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

/** A server that hands on to the database. */
function wayTo(url: string): Server {
  const { hostname, port } = new URL(url);
  return createServer((socket) => {
    const onward = connect(Number(port), hostname);
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
}

async function listening(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

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
    const server = wayTo(database.billingUrl);
    const port = await listening(server, 0);
    await closed(server);
    const told = jest.fn();
    let isThere = false;
    const waiting = awaitDatabase(urlWith({ port: String(port) }), told).then(() => (isThere = true));
    await eventually(() => told.mock.calls.length > 0);
    expect(isThere).toBe(false);
    await listening(server, port);
    await waiting;
    expect(told).toHaveBeenCalledTimes(1);
    await closed(server);
  });
});
