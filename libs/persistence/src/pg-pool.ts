import { Pool } from 'pg';
import type { Client, ClientBase } from 'pg';
import { UNANSWERED } from './database-away';
import { prepareSession } from './session';
import type { SessionSettings } from './session';

export interface PgPoolOptions {
  /** `postgresql://user:password@host:port/database` of the service's own role. */
  databaseUrl: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  maxConnections: number;
  /** After which the server itself cancels a statement (SQLSTATE 57014). */
  statementTimeoutMs: number;
  /** Of the server, for each session, besides those that every service has. */
  settings?: SessionSettings;
  /** Told of connections lost while idle. They are replaced by themselves; the caller logs it. */
  onError: (error: Error) => void;
}

const connectTimeoutMs = 5_000;
const idleTimeoutMs = 60_000;
/**
 * After the server's own limit, for a network that swallows the answer, or a server that stands still: a statement would wait for as long
 * as nothing closes the connection, which the system may take hours for.
 */
const answerGraceMs = 5_000;

/** The driver gives up a statement and keeps its connection, over which what follows, and whoever has it next, would wait in vain as well. */
function endWhenUnanswered(client: Client): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const watched = (...args: unknown[]): unknown => {
    const result = query(...args);
    // With a callback it is the pool's, which ends the connection of what failed.
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === UNANSWERED) void client.end();
      });
    return result;
  };
  client.query = watched as typeof client.query;
}

/** The connections that a Prisma client works over. */
export function createPgPool(options: PgPoolOptions): Pool {
  /** The pool waits for it, which its type does not say: a connection that is not fit is given to nobody. */
  const onConnect = (client: ClientBase): unknown => {
    endWhenUnanswered(client as Client);
    return prepareSession(client, {
      statement_timeout: String(options.statementTimeoutMs),
      ...options.settings,
    });
  };
  const pool = new Pool({
    connectionString: options.databaseUrl,
    application_name: options.applicationName,
    max: options.maxConnections,
    query_timeout: options.statementTimeoutMs + answerGraceMs,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    onConnect,
  });
  // Without a listener, a database restart would end the process: an unheard 'error' event is thrown.
  pool.on('error', options.onError);
  return pool;
}
