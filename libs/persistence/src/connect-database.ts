import { awaitDatabase } from './await-database';
import type { PrismaClient } from './generated/client';
import { createPrismaClient } from './prisma-client';

/** As much of a logger as is told. */
interface Warnings {
  warn(fields: { err: unknown }, message: string): void;
}

/**
 * A service's database, once it lets the role in: nothing is to be served before.
 * @throws Error in one clear line when the database answers and will never let the role in
 */
export async function connectDatabase(
  databaseUrl: string,
  applicationName: string,
  logger: Warnings,
): Promise<PrismaClient> {
  await awaitDatabase(databaseUrl, (err) =>
    logger.warn({ err }, 'the database does not answer; it is asked again until it does'),
  );
  const onError = (err: Error) => logger.warn({ err }, 'idle database connection lost');
  return createPrismaClient(databaseUrl, { applicationName, onError });
}
