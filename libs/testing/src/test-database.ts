import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { serviceRoles } from '@svc/persistence';
import { testEnvironment } from './test-environment';

/** A database of a test's own, migrated. */
export interface TestDatabase {
  name: string;
  /** As the superuser. */
  adminUrl: string;
  /** As billing's own role. */
  billingUrl: string;
  /** As the catalog's own role. */
  catalogUrl: string;
  /** From now on nobody analyses its tables but who is told to: not even they themselves, at a moment of their choosing. */
  keepUnanalysed(): Promise<void>;
  /** How many of its sessions wait for another one's lock. */
  waitingForLocks(): Promise<number>;
  /** Removes it, cutting whatever is still connected. */
  drop(): Promise<void>;
}

const KEEP_UNANALYSED = `
  DO $$ DECLARE place regclass; BEGIN
    FOR place IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname IN ('billing', 'catalog') LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', place);
    END LOOP;
  END $$`;

const WAITING_FOR_LOCKS = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Makes a fresh database from the migrated template; some 50 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = testEnvironment('templateDatabase');
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  // Rights on a database itself are not copied from its template.
  await asAdmin(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  await asAdmin(`GRANT CONNECT ON DATABASE ${name} TO ${Object.values(serviceRoles).join(', ')}`);
  return {
    name,
    adminUrl: urlFor(name),
    billingUrl: urlFor(name, serviceRoles.billing),
    catalogUrl: urlFor(name, serviceRoles.catalog),
    keepUnanalysed: async () => {
      await asAdmin(KEEP_UNANALYSED, urlFor(name));
    },
    waitingForLocks: () => asAdmin(WAITING_FOR_LOCKS, urlFor(name)),
    drop: async () => {
      await asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

function urlFor(database: string, role?: string): string {
  const url = new URL(testEnvironment('adminUrl'));
  url.pathname = `/${database}`;
  if (role !== undefined) {
    url.username = role;
    url.password = testEnvironment('password');
  }
  return url.href;
}

/** @returns how many rows there are */
async function asAdmin(sql: string, url = testEnvironment('adminUrl')): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query(sql);
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
