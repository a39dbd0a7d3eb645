import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startPostgres } from '@svc/local-servers';
import { createTestDatabase, eventually } from '@svc/testing';
import { Client } from 'pg';
import { awaitDatabase } from './await-database';
import { databaseAway } from './database-away';
import { DatabaseWatch } from './database-watch';
import { applyMigrations } from './migration/apply-migrations';
import { createPrismaClient } from './prisma-client';

async function asAdmin(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe('a session', () => {
  it('is the same whatever the database has as its defaults', async () => {
    const database = await createTestDatabase();
    const others = {
      default_transaction_isolation: 'serializable',
      synchronous_commit: 'off',
      timezone: 'Asia/Kolkata',
      datestyle: 'German',
    };
    for (const [name, value] of Object.entries(others))
      await asAdmin(database.adminUrl, `ALTER DATABASE ${database.name} SET ${name} = '${value}'`);
    const prisma = createPrismaClient(database.billingUrl);
    try {
      const noon = new Date('2026-06-01T12:00:00.250Z');
      const [row] = await prisma.$queryRaw<object[]>`
        SELECT '2026-06-01T12:00:00.250Z'::timestamptz AS read, ${noon}::timestamptz = '2026-06-01T12:00:00.250Z' AS written,
               current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS commit`;
      expect(row).toEqual({ read: noon, written: true, isolation: 'read committed', commit: 'on' });
    } finally {
      await prisma.$disconnect();
      await database.drop();
    }
  });

  it('does not stay on a standby, which is waited for like a server that is away', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-standby-'));
    const start = async () =>
      startPostgres({ dataDir: directory, superuserPassword: 'owner', port: await freePort() });
    let server = await start();
    await applyMigrations(server.url, { rolePasswords: { catalog: 'catalog', billing: 'billing' } });
    await server.stop();
    writeFileSync(join(directory, 'cluster/standby.signal'), '');
    server = await start();
    const billingUrl = Object.assign(new URL(server.url), {
      username: 'svc_billing',
      password: 'billing',
    }).href;
    const prisma = createPrismaClient(billingUrl);
    const watch = new DatabaseWatch(billingUrl, 'svc-watch', { warn: () => undefined });
    watch.onApplicationBootstrap();
    try {
      const failure: unknown = await prisma.apiKey.count().catch((error: unknown) => error);
      expect(databaseAway(failure)).toMatchObject({ payload: { code: 'no_capacity' } });
      await eventually(async () => !(await watch.readiness.check()).up);
      expect(await watch.readiness.check()).toEqual({ up: false, detail: 'read-only' });
      const told = jest.fn();
      const waiting = awaitDatabase(billingUrl, 'billing', told);
      await eventually(() => told.mock.calls.length > 0);
      expect(told.mock.calls).toEqual([
        [expect.objectContaining({ message: 'the server is a standby, which takes no writes' })],
      ]);

      await asAdmin(server.url, 'SELECT pg_promote()');
      await waiting;
      await eventually(async () => (await watch.readiness.check()).up);
      expect(await prisma.apiKey.count()).toBe(0);
    } finally {
      await Promise.all([watch.onApplicationShutdown(), prisma.$disconnect()]);
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
