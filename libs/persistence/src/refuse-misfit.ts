import { Client, DatabaseError } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
/** What a server says that will not have us, however often it is asked. */
const MISFITS = new Set([
  '28000', // invalid_authorization_specification
  '28P01', // invalid_password
  '3D000', // invalid_catalog_name: there is no such database
  '42501', // insufficient_privilege: the role may not connect to it
]);

/**
 * Refuses a database that answers and does not let the role in; one that does not answer is left for later.
 * @throws Error in one clear line
 */
export async function refuseMisfit(databaseUrl: string): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'svc-start',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  const refusal: unknown = await client.connect().catch((error: unknown) => error);
  // Hangs where nothing answers: nobody waits for it.
  client.end().catch(() => undefined);
  if (refusal instanceof DatabaseError && MISFITS.has(refusal.code ?? ''))
    throw new Error(`DATABASE_URL does not fit: ${refusal.message}`);
}
