import type { Logger } from '@svc/observability';
import { applyMigrations } from '@svc/persistence';
import type { MigrateConfig } from './setup.config';

/** Brings the database up to date: the services' roles, then every migration that is new. */
export async function runMigrate(config: MigrateConfig, logger: Logger): Promise<void> {
  const applied = await applyMigrations(config.databaseUrl, {
    rolePasswords: { billing: config.billingDbPassword, catalog: config.catalogDbPassword },
  });
  logger.info({ applied }, applied.length > 0 ? 'migrations applied' : 'database is up to date');
}
