import { Inject, Module } from '@nestjs/common';
import type { DynamicModule, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@svc/observability';
import { DatabaseWatch, connectDatabase } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import type { BillingConfig } from '../billing.config';
import { DatabaseClock } from './database-clock';
import { Rests } from './rests';
import { DATABASE } from './tokens';
import { assertNumbersGoOn } from './transaction-numbers';

/** The database for ordinary reads and writes; the batches have a connection of their own. Global. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  static forService(config: BillingConfig, logger: Logger): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: DATABASE,
          useFactory: async () => {
            const prisma = await connectDatabase(config.databaseUrl, 'billing', logger);
            await assertNumbersGoOn(prisma);
            return prisma;
          },
        },
        {
          provide: DatabaseWatch,
          useFactory: () => new DatabaseWatch(config.databaseUrl, 'billing-watch', logger),
        },
        DatabaseClock,
        Rests,
      ],
      exports: [DATABASE, DatabaseClock, DatabaseWatch, Rests],
    };
  }

  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** After what uses it has stopped (`onModuleDestroy`). */
  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
  }
}
