import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { BillingConfig } from '../billing.config';

const MAX_CONNECTIONS = 4;
/** Far above what any statement takes; what takes longer is cancelled by the server. */
const STATEMENT_TIMEOUT_MS = 4_000;
/**
 * Lists are read in the order of their index, as much as a page takes. A planner that expects few rows of a wallet would fetch all that it has
 * to sort them, for each page; without bitmap scans it does not.
 */
export const STATEMENT_SETTINGS = { enable_bitmapscan: 'off' };

/** Connections for statements alone: however many are asked for, keys and wallets are looked up over others. */
@Injectable()
export class StatementDatabase implements OnApplicationShutdown {
  readonly prisma: PrismaClient;

  constructor(config: BillingConfig, @Inject(LOGGER) logger: Logger) {
    this.prisma = createPrismaClient(config.databaseUrl, {
      applicationName: 'billing-statements',
      maxConnections: MAX_CONNECTIONS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      settings: STATEMENT_SETTINGS,
      onError: (error) => logger.warn({ err: error }, 'idle statement connection lost'),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
  }
}
