import { awaitDatabase } from './await-database';
import type { PrismaClient } from './generated/client';
import type { ServiceSchema } from './migration/service-roles';
import { createPrismaClient } from './prisma-client';

/** As much of a logger as is told. */
export interface Warnings {
  warn(fields: { err: unknown }, message: string): void;
}

/**
 * A service's database, once it lets the role in and is migrated: nothing is to be served before.
 * @param service whose schema it is
 * @throws Error in one clear line when the database answers and will never let the role in
 */
export async function connectDatabase(
  databaseUrl: string,
  service: ServiceSchema,
  logger: Warnings,
): Promise<PrismaClient> {
  await awaitDatabase(databaseUrl, service, (err) =>
    logger.warn({ err }, 'the database cannot be used yet; it is asked again until it can'),
  );
  const onError = (err: Error) => logger.warn({ err }, 'idle database connection lost');
  return createPrismaClient(databaseUrl, { applicationName: service, onError });
}
