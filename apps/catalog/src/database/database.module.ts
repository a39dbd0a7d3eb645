import { Inject, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@svc/observability';
import { DatabaseWatch, connectDatabase } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import type { CatalogConfig } from '../catalog.config';
import { DATABASE } from './tokens';

/** The catalogue's database. Global. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  static forService(config: CatalogConfig, logger: Logger): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: DATABASE,
          useFactory: () => connectDatabase(config.databaseUrl, 'catalog', logger),
        },
        {
          provide: DatabaseWatch,
          useFactory: () => new DatabaseWatch(config.databaseUrl, 'catalog-watch', logger),
        },
      ],
      exports: [DATABASE, DatabaseWatch],
    };
  }

  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** After what uses it has stopped (`beforeApplicationShutdown`). */
  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
  }
}
