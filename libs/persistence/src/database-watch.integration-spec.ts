import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { TcpLink, createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { DatabaseWatch } from './database-watch';

const quiet = { warn: () => undefined };

let database: TestDatabase;
let link: TcpLink;
let watch: DatabaseWatch;
let told: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  link = await TcpLink.open(database.billingUrl);
  watch = new DatabaseWatch(link.url, 'svc-watch', quiet);
  watch.onApplicationBootstrap();
  told = [];
  watch.follow({ onAway: ({ message }) => told.push(message), onBack: () => told.push('back') });
  // Over a connection that is to be lost.
  await eventually(isConnected);
});
afterEach(async () => {
  await link.close();
  await watch.onApplicationShutdown();
  await database.drop();
});

async function asAdmin<Row extends object>(sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function isConnected(): Promise<boolean> {
  const rows = await asAdmin(
    `SELECT FROM pg_stat_activity WHERE application_name = 'svc-watch' AND datname = current_database()
       AND state = 'idle' AND query LIKE '%transaction_read_only%'`,
  );
  return rows.length === 1;
}

async function isUp(): Promise<boolean> {
  return (await watch.readiness.check()).up;
}

describe('DatabaseWatch', () => {
  it('tells of a database that cannot be connected to, and of its return', async () => {
    link.cut();
    await eventually(isAway);
    await expect(isUp()).rejects.toThrow();
    const onAway = jest.fn();
    watch.follow({ onAway, onBack: () => undefined });
    expect(onAway).toHaveBeenCalledWith(expect.any(Error));
    link.restore();
    await eventually(isUp);
    expect(told.at(-1)).toBe('back');
  });

  it('finds another connection where what comes over the one that there is is swallowed', async () => {
    link.holdBack();
    const isDown = () =>
      isUp()
        .then((up) => !up)
        .catch(() => true);
    await eventually(isDown);
    await eventually(isUp);
  });

  it('says of a database that takes no writes that it is read-only, and away', async () => {
    await asAdmin(`ALTER DATABASE ${database.name} SET default_transaction_read_only = on`);
    link.drop();
    const state = async () => watch.readiness.check();
    await eventually(async () => (await state()).detail === 'read-only');
    await eventually(isAway);
  });

  it('stops while it waits for a server that says nothing', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const asked = once(silent, 'connection');
    const waiting = new DatabaseWatch(`postgresql://a:b@127.0.0.1:${port}/c`, 'svc-watch', quiet);
    waiting.onApplicationBootstrap();
    await asked;
    await waiting.onApplicationShutdown();
    silent.close();
  });
});

/** By what it said last: on a busy machine it may have found the database away before. */
function isAway(): boolean {
  return told.length > 0 && told.at(-1) !== 'back';
}
