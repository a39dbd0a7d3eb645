import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;
/** What a server says that will not have us, however often it is asked. */
const MISFITS = new Set([
  '28000', // invalid_authorization_specification
  '28P01', // invalid_password
  '3D000', // invalid_catalog_name: there is no such database
  '42501', // insufficient_privilege: the role may not connect to it
]);

/**
 * Waits for a database that lets the role in: who takes calls without one fails them, also those that a replica would have served.
 * @param onWaiting told once, why it has to wait
 * @throws Error in one clear line when the database answers and will never let the role in
 */
export async function awaitDatabase(
  databaseUrl: string,
  onWaiting: (reason: unknown) => void,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const refusal = await refusalOf(databaseUrl);
    if (refusal === undefined) return;
    if (refusal instanceof DatabaseError && MISFITS.has(refusal.code ?? ''))
      throw new Error(`DATABASE_URL does not fit: ${refusal.message}`);
    if (attempt === 1) onWaiting(refusal);
    await delay(RETRY_MS);
  }
}

async function refusalOf(databaseUrl: string): Promise<unknown> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'svc-start',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  const refusal: unknown = await client.connect().then(
    () => undefined,
    (error: unknown) => error,
  );
  // Hangs where nothing answers: nobody waits for it.
  client.end().catch(() => undefined);
  return refusal;
}
