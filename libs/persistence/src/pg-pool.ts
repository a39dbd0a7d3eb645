import { Pool } from 'pg';
import type { ClientBase } from 'pg';
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

/** The connections that a Prisma client works over. */
export function createPgPool(options: PgPoolOptions): Pool {
  /** The pool waits for it, which its type does not say: a connection that is not fit is given to nobody. */
  const onConnect: (client: ClientBase) => unknown = (client) => prepareSession(client, options.settings);
  const pool = new Pool({
    connectionString: options.databaseUrl,
    application_name: options.applicationName,
    max: options.maxConnections,
    statement_timeout: options.statementTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    onConnect,
  });
  // Without a listener, a database restart would end the process: an unheard 'error' event is thrown.
  pool.on('error', options.onError);
  return pool;
}
