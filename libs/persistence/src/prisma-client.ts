import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client';
import { createPgPool } from './pg-pool';
import type { PgPoolOptions } from './pg-pool';

/** What may differ from a service's ordinary reads; see {@link PgPoolOptions}. */
export type PrismaClientOptions = Partial<Omit<PgPoolOptions, 'databaseUrl'>>;

const defaults = { applicationName: 'svc', maxConnections: 5, statementTimeoutMs: 10_000 };

/**
 * A Prisma client over a `pg` pool, connected at its first query. `$disconnect()` ends the pool with it.
 * A lost connection surfaces as the failing query's error; idle ones are reported to `onError`.
 */
export function createPrismaClient(databaseUrl: string, options: PrismaClientOptions = {}): PrismaClient {
  const pool = createPgPool({ ...defaults, onError: () => undefined, ...options, databaseUrl });
  return new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
}
