import { Client } from 'pg';
import { prepareSession } from './session';

/** Times in milliseconds. */
export interface OwnConnectionOptions {
  /** `postgresql://user:password@host:port/database` of the service's own role. */
  readonly databaseUrl: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
  /** After which the server itself cancels a statement (SQLSTATE 57014); the role's own unless told. */
  readonly statementTimeoutMs?: number;
  /** After which a statement gives up a lock that somebody else has (SQLSTATE 55P03); the role's own unless told. */
  readonly lockTimeoutMs?: number;
  /** After which a statement is given up here, for a network that swallows the answer. */
  readonly answerTimeoutMs: number;
  /** Told of its loss, also while it is idle. */
  readonly onLost?: (client: Client, error: Error) => void;
}

/**
 * Opens a connection beside those of the pool, for one who has to have it to himself.
 * @throws ReadOnlyError when the server is a standby; DatabaseError; the system's errors
 */
export async function openOwnConnection(options: OwnConnectionOptions): Promise<Client> {
  const client = new Client({
    connectionString: options.databaseUrl,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.answerTimeoutMs,
    keepAlive: true,
  });
  // Without a listener the loss would end the process: an unheard 'error' event is thrown.
  client.on('error', (error) => options.onLost?.(client, error));
  try {
    await client.connect();
    await prepareSession(client, {
      ...(options.statementTimeoutMs !== undefined && {
        statement_timeout: String(options.statementTimeoutMs),
      }),
      ...(options.lockTimeoutMs !== undefined && { lock_timeout: String(options.lockTimeoutMs) }),
    });
  } catch (error) {
    hangUp(client);
    throw error;
  }
  return client;
}

/** Ends a connection without waiting for that: it hangs where nothing answers. */
export function hangUp(client: Client): void {
  client.end().catch(() => undefined);
}
