import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { readMigrations } from './migration/migration-files';
import { serviceRoles } from './migration/service-roles';
import type { ServiceSchema } from './migration/service-roles';
import { isPooledByTransaction } from './pooler';
import { prepareSession } from './session';

const ANSWER_TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;
/** What a server says that will not have us, however often it is asked. */
const MISFITS = new Set([
  '28000', // invalid_authorization_specification
  '28P01', // invalid_password
  '3D000', // invalid_catalog_name: there is no such database
  '42501', // insufficient_privilege: the role may not connect to it, or is another service's
]);
/** What it says before the first migrations. */
const UNMIGRATED = new Set([
  '3F000', // invalid_schema_name
  '42883', // undefined_function
]);

/** Said of what answers and is not fit for a service, however often it is asked. */
class Unfit extends Error {}

/**
 * Waits for a database that lets the role in and has every migration of this version: who takes calls without one fails them, also those
 * that a replica would have served. Migrations of a later version do no harm.
 * What the role may not do is part of the promise: whoever takes over a service must not be able to rewrite another's tables, or its ledger.
 * @param schema the service's own
 * @param onWaiting told why it has to wait, once as long as the reason stays the same
 * @throws Error in one clear line when the database answers and will never let the role in, or when it lets it do anything
 */
export async function awaitDatabase(
  databaseUrl: string,
  schema: ServiceSchema,
  onWaiting: (reason: Error) => void,
): Promise<void> {
  let told: string | undefined;
  for (;;) {
    const refusal = await refusalOf(databaseUrl, schema);
    if (refusal === undefined) return;
    if (isMisfit(refusal)) throw new Error(`DATABASE_URL does not fit: ${refusal.message}`);
    if (refusal.message !== told) onWaiting(refusal);
    told = refusal.message;
    await delay(RETRY_MS);
  }
}

async function refusalOf(databaseUrl: string, schema: ServiceSchema): Promise<Error | undefined> {
  const client = newClient(databaseUrl);
  try {
    await client.connect();
    await prepareSession(client);
    await refusePooler(client, databaseUrl);
    const applied = await appliedMigrations(client, schema);
    if (applied.size > 0) await refuseOwner(client, schema);
    const missing = readMigrations().find(({ name }) => !applied.has(name));
    return missing && new Error(`migration ${missing.name} was not applied: run setup migrate`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    // Hangs where nothing answers: nobody waits for it.
    client.end().catch(() => undefined);
  }
}

function newClient(databaseUrl: string): Client {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'svc-start',
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  return client;
}

/** @throws Unfit */
async function refusePooler(client: Client, databaseUrl: string): Promise<void> {
  const other = newClient(databaseUrl);
  try {
    await other.connect();
    if (await isPooledByTransaction(client, other))
      throw new Unfit('a pooler gives its connections away between transactions; a service takes its own');
  } finally {
    other.end().catch(() => undefined);
  }
}

function isMisfit(refusal: Error): boolean {
  if (refusal instanceof Unfit) return true;
  return refusal instanceof DatabaseError && MISFITS.has(refusal.code ?? '');
}

/** Nobody is whoever owns the schema but setup, and superusers. @throws Unfit */
async function refuseOwner(client: Client, schema: ServiceSchema): Promise<void> {
  const { rows } = await client.query<{ role: string; owns: boolean }>(
    `SELECT current_user AS role, pg_has_role(nspowner, 'USAGE') AS owns FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  const [found] = rows;
  if (found?.owns)
    throw new Unfit(
      `the role "${found.role}" may do anything in the schema ${schema}; a service takes ${serviceRoles[schema]}, which setup migrate makes`,
    );
}

async function appliedMigrations(client: Client, schema: ServiceSchema): Promise<Set<string>> {
  try {
    const { rows } = await client.query<{ name: string }>(`SELECT ${schema}.applied_migrations() AS name`);
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (error instanceof DatabaseError && UNMIGRATED.has(error.code ?? '')) return new Set();
    throw error;
  }
}
