import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { applyMigrations } from './apply-migrations';
import { defaultMigrationsFolder, readMigrations } from './migration-files';

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('applyMigrations', () => {
  let database: TestDatabase;
  let folder: string;
  let rolePasswords: { catalog: string; billing: string };

  beforeEach(async () => {
    database = await createTestDatabase();
    const password = decodeURIComponent(new URL(database.billingUrl).password);
    rolePasswords = { catalog: password, billing: password };
    folder = mkdtempSync(join(tmpdir(), 'svc-migrations-'));
    cpSync(defaultMigrationsFolder, folder, { recursive: true });
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  function addMigration(name: string, sql: string): void {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'migration.sql'), sql);
  }

  it('says that there is no connection, and why', async () => {
    const applying = (url: string) => applyMigrations(url, { rolePasswords, folder });
    const wrong = (change: (url: URL) => void) => {
      const url = new URL(database.adminUrl);
      change(url);
      return applying(url.href);
    };
    const message = 'no connection to the database';
    const refused = (code: string) => ({ message, cause: expect.objectContaining({ code }) as unknown });
    await expect(wrong((url) => (url.port = '1'))).rejects.toMatchObject(refused('ECONNREFUSED'));
    await expect(wrong((url) => (url.pathname = '/none'))).rejects.toMatchObject(refused('3D000'));
    // It reads, and so notices that its client has gone.
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await expect(applying(`postgresql://a:b@127.0.0.1:${port}/c`)).rejects.toMatchObject({ message });
    silent.close();
  });

  it('records what it applied the way Prisma does', async () => {
    const rows = await query(
      database.adminUrl,
      `SELECT *, started_at <= finished_at AS ordered FROM _prisma_migrations ORDER BY migration_name`,
    );
    expect(rows.map((row) => row.migration_name)).toEqual(readMigrations().map((file) => file.name));
    for (const row of rows) {
      expect(row.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(row.checksum).toMatch(/^[0-9a-f]{64}$/);
      expect(row).toMatchObject({ ordered: true, applied_steps_count: 1, rolled_back_at: null, logs: null });
    }
  });

  it('applies only what is new, once, also when two start together', async () => {
    addMigration('29990101000000_more', 'CREATE TABLE billing.more (id int PRIMARY KEY)');
    const both = await Promise.all([
      applyMigrations(database.adminUrl, { rolePasswords, folder }),
      applyMigrations(database.adminUrl, { rolePasswords, folder }),
    ]);
    expect(both.flat()).toEqual(['29990101000000_more']);
  });

  it('brings databases of one server up to date at the same time: the roles are theirs together', async () => {
    const other = await createTestDatabase();
    const both = [database, other].map(async ({ adminUrl }) => {
      for (let time = 0; time < 30; time++) await applyMigrations(adminUrl, { rolePasswords, folder });
    });
    const outcomes = await Promise.allSettled(both);
    await other.drop();
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  it('refuses an applied migration that was edited', async () => {
    const first = readMigrations(folder)[0]!;
    writeFileSync(join(folder, first.name, 'migration.sql'), `${first.sql}\n-- edited`);
    await expect(applyMigrations(database.adminUrl, { rolePasswords, folder })).rejects.toThrow(
      `Migration ${first.name} was edited after it was applied`,
    );
  });

  it('refuses a new migration that is older than an applied one', async () => {
    addMigration('20000101000000_late', 'SELECT 1');
    await expect(applyMigrations(database.adminUrl, { rolePasswords, folder })).rejects.toThrow(
      'Migration 20000101000000_late is older than',
    );
  });

  it('lets a later version’s migrations be, and refuses the database that has one which is missing among its own', async () => {
    const names = readMigrations(folder).map(({ name }) => name);
    rmSync(join(folder, names.at(-1)!), { recursive: true });
    await expect(applyMigrations(database.adminUrl, { rolePasswords, folder })).resolves.toEqual([]);
    rmSync(join(folder, names.at(-3)!), { recursive: true });
    await expect(applyMigrations(database.adminUrl, { rolePasswords, folder })).rejects.toThrow(
      `Migration ${names.at(-3)} is applied to this database, but its file is missing`,
    );
  });

  it('leaves nothing of a failing migration', async () => {
    addMigration('29990101000000_broken', 'CREATE TABLE billing.half (id int); SELECT nothing_here()');
    await expect(applyMigrations(database.adminUrl, { rolePasswords, folder })).rejects.toThrow(
      'Migration 29990101000000_broken failed and was rolled back',
    );
    const rows = await query(database.adminUrl, `SELECT to_regclass('billing.half') AS half`);
    expect(rows).toEqual([{ half: null }]);
  });

  it('keeps nobody waiting behind it for a table that somebody else reads for long', async () => {
    addMigration('29990101000000_wider', 'ALTER TABLE billing.wallet ADD COLUMN wider integer');
    const reader = new Client({ connectionString: database.adminUrl });
    await reader.connect();
    await reader.query('BEGIN; SELECT FROM billing.wallet');
    const applying = applyMigrations(database.adminUrl, { rolePasswords, folder });
    await eventually(async () => {
      const waiting = await query(
        database.adminUrl,
        `SELECT FROM pg_locks WHERE NOT granted AND relation = 'billing.wallet'::regclass`,
      );
      return waiting.length > 0;
    });
    await query(database.billingUrl, `SET statement_timeout = '5s'; SELECT FROM billing.wallet`).finally(() =>
      reader.end(),
    );
    await expect(applying).resolves.toEqual(['29990101000000_wider']);
  });

  it('begins anew after a deadlock with somebody who takes its tables in another order', async () => {
    addMigration(
      '29990101000000_both',
      `ALTER TABLE billing.wallet ADD COLUMN wider integer; SELECT pg_sleep(0.5); ALTER TABLE billing.credit ADD COLUMN wider integer`,
    );
    const reader = new Client({ connectionString: database.adminUrl });
    await reader.connect();
    await reader.query(`SET deadlock_timeout = '1min'; BEGIN; SELECT FROM billing.credit`);
    const applying = applyMigrations(database.adminUrl, { rolePasswords, folder });
    await eventually(async () => {
      const held = await query(
        database.adminUrl,
        `SELECT FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' AND relation = 'billing.wallet'::regclass`,
      );
      return held.length > 0;
    });
    await reader.query('SELECT FROM billing.wallet').finally(() => reader.end());
    await expect(applying).resolves.toEqual(['29990101000000_both']);
  });

  it('names the migration during which the database went away', async () => {
    addMigration('29990101000000_last', 'SELECT pg_terminate_backend(pg_backend_pid())');
    await expect(applyMigrations(database.adminUrl, { rolePasswords, folder })).rejects.toThrow(
      'Migration 29990101000000_last failed and was rolled back: terminating connection',
    );
  });

  describe('lets each role see its own schema only', () => {
    beforeEach(async () => {
      for (const schema of ['billing', 'catalog']) {
        await query(
          database.adminUrl,
          `CREATE TABLE ${schema}.probe (id serial PRIMARY KEY, note text);
           CREATE FUNCTION ${schema}.probe_count() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM ${schema}.probe'`,
        );
      }
    });

    it.each([
      ['billing', 'catalog'],
      ['catalog', 'billing'],
    ] as const)('%s works in its own and is kept out of %s', async (own, other) => {
      const url = own === 'billing' ? database.billingUrl : database.catalogUrl;
      await query(url, `INSERT INTO ${own}.probe (note) VALUES ('mine')`);
      expect(await query(url, `SELECT ${own}.probe_count() AS rows`)).toEqual([{ rows: '1' }]);
      for (const sql of [
        `SELECT * FROM ${other}.probe`,
        `INSERT INTO ${other}.probe (note) VALUES ('theirs')`,
        `SELECT ${other}.probe_count()`,
        `CREATE TABLE ${own}.more (id int)`,
        `CREATE TABLE public.more (id int)`,
        `SELECT * FROM public._prisma_migrations`,
      ]) {
        await expect(query(url, sql)).rejects.toThrow(/permission denied/);
      }
    });
  });

  describe('lets each role delete only what it deletes', () => {
    it.each([
      [
        'billing',
        [
          ...['chain_block', 'idempotency', 'open_hold', 'settlement_event'],
          ...['short_wallet', 'signer_lease', 'stored_bytes'],
        ],
      ],
      ['catalog', ['certification_probes', 'certifications']],
    ] as const)('%s', async (schema, deleted) => {
      await query(database.adminUrl, `CREATE TABLE ${schema}.made_later (id int)`);
      const rows = await query(
        database.adminUrl,
        `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace
         AND has_table_privilege('svc_${schema}', oid, 'DELETE') ORDER BY relname`,
      );
      expect(rows.map(({ relname }) => relname)).toEqual(deleted);
    });

    it.each([
      ...[
        'wallet',
        'api_key',
        'key_budget',
        'transfer',
        'usage_record',
        'credit',
        'receipt',
        'settlement_due',
      ],
      ...['settlement_batch', 'payout', 'payout_earning', 'provider_released', 'released_wallet', 'audit'],
    ])('nothing of record: %s', async (table) => {
      await expect(query(database.billingUrl, `DELETE FROM billing.${table}`)).rejects.toThrow(
        /permission denied/,
      );
    });
  });
});
