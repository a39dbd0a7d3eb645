import { randomUUID } from 'node:crypto';
import { Inject, Module } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { BillingConfig } from '../billing.config';
import { ChainModule } from '../chain/chain.module';
import { SettlementModule } from '../settlement/settlement.module';
import { ChainChecks } from './chain-checks';
import { DueComparison } from './due-comparison';
import { FullComparisonTurn } from './full-comparison-turn';
import { ReconciliationSchedule } from './reconciliation-schedule';
import { ReconciliationService } from './reconciliation.service';
import { ReconciliationStore } from './reconciliation.store';
import { RECONCILIATION_DATABASE, RECONCILIATION_SESSIONS } from './tokens';

/** A full comparison reads every row there is. */
const STATEMENT_TIMEOUT_MS = 1_800_000;

/** Holds the ledger against itself and against the chain; a difference pauses settlement. */
@Module({
  imports: [ChainModule, SettlementModule],
  providers: [
    // Of this process alone, so that it can cancel its own statements and nobody else's.
    { provide: RECONCILIATION_SESSIONS, useFactory: () => `billing-reconciliation ${randomUUID()}` },
    {
      provide: RECONCILIATION_DATABASE,
      inject: [BillingConfig, LOGGER, RECONCILIATION_SESSIONS],
      useFactory: (config: BillingConfig, logger: Logger, applicationName: string) =>
        createPrismaClient(config.databaseUrl, {
          applicationName,
          // One for each kind of comparison: a statement of a full one must not hold up the other.
          maxConnections: 2,
          statementTimeoutMs: STATEMENT_TIMEOUT_MS,
          onError: (error) => logger.warn({ err: error }, 'idle database connection lost'),
        }),
    },
    ChainChecks,
    DueComparison,
    FullComparisonTurn,
    ReconciliationSchedule,
    ReconciliationService,
    ReconciliationStore,
  ],
  exports: [ReconciliationService],
})
export class ReconciliationModule implements OnApplicationShutdown {
  constructor(@Inject(RECONCILIATION_DATABASE) private readonly prisma: PrismaClient) {}

  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
  }
}
