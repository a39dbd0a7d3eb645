import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client';
import { createPgPool } from './pg-pool';
import type { PgPoolOptions } from './pg-pool';

/** What may differ from a service's ordinary reads; see {@link PgPoolOptions}. */
type PrismaClientOptions = Partial<Omit<PgPoolOptions, 'databaseUrl'>>;

const defaults = { applicationName: 'svc', maxConnections: 5, statementTimeoutMs: 10_000 };

/**
 * In milliseconds, for every transaction that is told nothing else. They measure by this process's clock and are there for work that
 * hangs, not to make it quick: Prisma's own (2 s and 5 s) roll an ordinary commit back on a machine that stands still for some seconds.
 * Each statement has its own limit at the server, and each wait for a connection its own in the pool. `maxWait` is above the latter, so
 * that the pool's error is the one that is seen. `timeout` is far above the statements' limit, and below the 60 s after which the server
 * ends a transaction that it hears nothing of (`service-roles.ts`).
 */
const transactionOptions = { maxWait: 10_000, timeout: 30_000 };

/**
 * A Prisma client over a `pg` pool, connected at its first query. `$disconnect()` ends the pool with it.
 * A lost connection surfaces as the failing query's error; idle ones are reported to `onError`.
 */
export function createPrismaClient(databaseUrl: string, options: PrismaClientOptions = {}): PrismaClient {
  const pool = createPgPool({ ...defaults, onError: () => undefined, ...options, databaseUrl });
  return new PrismaClient({
    adapter: new PrismaPg(pool, { disposeExternalPool: true }),
    transactionOptions,
  });
}
