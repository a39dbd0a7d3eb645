import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Client } from 'pg';
import type { MigrationFile } from './migration-files';

/** Prisma's own table, as its schema engine creates it. */
const historyTable = `
  CREATE TABLE IF NOT EXISTS public._prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

interface HistoryRow {
  migration_name: string;
  checksum: string;
  finished: boolean;
}

/**
 * Which migrations still have to run, oldest first. Those of a later version do no harm: an installation goes back to the version before
 * with them applied.
 * @throws Error when an applied one was edited or is missing, when one is recorded as failed, or when a new one is
 *   older than one that was applied: in each case the database is not what the files say.
 */
export async function pendingMigrations(
  client: Client,
  files: readonly MigrationFile[],
): Promise<MigrationFile[]> {
  await client.query(historyTable);
  const { rows } = await client.query<HistoryRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
       FROM public._prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  const byName = new Map(files.map((file) => [file.name, file]));
  const newestHere = files.at(-1)?.name ?? '';
  for (const row of rows) {
    assertFinished(row);
    if (row.migration_name <= newestHere) assertUnchanged(row, byName.get(row.migration_name));
  }
  const applied = new Set(rows.map((row) => row.migration_name));
  const newest = rows.at(-1)?.migration_name ?? '';
  const pending = files.filter((file) => !applied.has(file.name));
  const late = pending.find((file) => file.name < newest);
  if (late !== undefined) {
    throw new Error(
      `Migration ${late.name} is older than ${newest}, which is already applied: give it a newer timestamp.`,
    );
  }
  return pending;
}

function assertFinished({ migration_name: name, finished }: HistoryRow): void {
  if (!finished) {
    throw new Error(
      `Migration ${name} is recorded as begun and never finished: look at the database, then use prisma migrate resolve.`,
    );
  }
}

function assertUnchanged(row: HistoryRow, file: MigrationFile | undefined): void {
  const name = row.migration_name;
  if (file === undefined) {
    throw new Error(
      `Migration ${name} is applied to this database, but its file is missing from this version.`,
    );
  }
  if (file.checksum !== row.checksum) {
    throw new Error(
      `Migration ${name} was edited after it was applied: restore the file and put the change into a new migration.`,
    );
  }
}

/**
 * Services go on meanwhile, and who needs a table waits behind the migration that waits for it. Longer than an autovacuum takes to give
 * way (`deadlock_timeout`, 1 s), and shorter than callers wait for the ledger (3 s): of its operations it refuses one in each half second.
 */
const LOCK_TIMEOUT_MS = 2_000;
/** For those who waited behind it. */
const AGAIN_AFTER_MS = 5_000;
/** lock_not_available, after lock_timeout; and deadlock_detected, with somebody who needs the same tables in another order. */
const IN_THE_WAY = ['55P03', '40P01'];

/** Runs one migration and records it, both or neither; again and again while somebody else has a table that it needs. */
export async function applyMigration(client: Client, file: MigrationFile): Promise<void> {
  while (!(await hasApplied(client, file))) await delay(AGAIN_AFTER_MS);
}

/** @returns false when somebody was in the way: nothing of it remains applied */
async function hasApplied(client: Client, file: MigrationFile): Promise<boolean> {
  const startedAt = new Date();
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await client.query(file.sql);
    await client.query(
      `INSERT INTO public._prisma_migrations
         (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, $4, clock_timestamp(), 1)`,
      [randomUUID(), file.checksum, file.name, startedAt],
    );
    await client.query('COMMIT');
    return true;
  } catch (error) {
    // A lost connection rolls back by itself.
    await client.query('ROLLBACK').catch(() => undefined);
    if (error instanceof DatabaseError && IN_THE_WAY.includes(error.code ?? '')) return false;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Migration ${file.name} failed and was rolled back: ${reason}`, { cause: error });
  }
}
