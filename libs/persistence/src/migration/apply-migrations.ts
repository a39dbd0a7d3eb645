import { Client } from 'pg';
import { readMigrations } from './migration-files';
import { applyMigration, pendingMigrations } from './migration-history';
import { ensureRoles } from './service-roles';
import type { RolePasswords } from './service-roles';

interface ApplyMigrationsOptions {
  rolePasswords: RolePasswords;
  /** Where the migrations lie; by default the clone's `prisma/migrations`. */
  folder?: string;
}

/** The advisory lock Prisma's own `migrate deploy` takes: neither runs while the other does. */
const migrationLock = 72_707_369;
const connectTimeoutMs = 5_000;

/**
 * Brings a database up to date: the services' roles, then every migration not yet applied, oldest first, each in a
 * transaction. The bookkeeping is Prisma's (`_prisma_migrations`), so `prisma migrate deploy` can go on from it.
 * Prisma's own command is not used because it downloads an engine binary.
 * @param adminUrl a connection that may create roles and schemas
 * @returns the names of the migrations applied now
 * @throws Error naming the migration that failed, was edited, or is out of order: nothing of it remains applied; or that there is no
 *   connection, with the reason as its cause
 */
export async function applyMigrations(adminUrl: string, options: ApplyMigrationsOptions): Promise<string[]> {
  const client = new Client({
    connectionString: adminUrl,
    application_name: 'svc-migrate',
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // A connection lost between two statements is reported by the next statement.
  client.on('error', () => undefined);
  await client.connect().catch((cause: unknown) => {
    throw new Error('no connection to the database', { cause });
  });
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await ensureRoles(client, options.rolePasswords);
    const pending = await pendingMigrations(client, readMigrations(options.folder));
    for (const file of pending) await applyMigration(client, file);
    return pending.map((file) => file.name);
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}
