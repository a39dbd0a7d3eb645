import { Inject, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@svc/observability';
import { awaitDatabase, createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { AuditStore } from '../audit/audit.store';
import type { CatalogConfig } from '../catalog.config';
import { DatabaseReadiness } from './database.readiness';
import { DATABASE } from './tokens';

/** The catalogue's database and what knows its tables. Global. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  static forService(config: CatalogConfig, logger: Logger): DynamicModule {
    const onError = (error: Error) => logger.warn({ err: error }, 'idle database connection lost');
    const onWaiting = (reason: unknown) =>
      logger.warn({ err: reason }, 'the database does not answer; it is asked again until it does');
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: DATABASE,
          // Here, so that nothing is served before.
          useFactory: async () => {
            await awaitDatabase(config.databaseUrl, onWaiting);
            return createPrismaClient(config.databaseUrl, { applicationName: 'catalog', onError });
          },
        },
        AuditStore,
        DatabaseReadiness,
      ],
      exports: [DATABASE, AuditStore, DatabaseReadiness],
    };
  }

  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** After what uses it has stopped (`beforeApplicationShutdown`). */
  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
  }
}
