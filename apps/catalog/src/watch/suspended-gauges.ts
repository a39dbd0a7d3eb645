import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { PrismaClient } from '@svc/persistence';
import { PeriodicJob } from '@svc/service-host';
import { DATABASE } from '../database/tokens';
import { WatchMetrics } from './watch.metrics';

const REFRESH_MS = 15_000;

/** Keeps the gauge of suspended offers current, on every instance. */
@Injectable()
export class SuspendedGauges implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly job: PeriodicJob;

  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly metrics: WatchMetrics,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new PeriodicJob({
      intervalMs: REFRESH_MS,
      atOnce: true,
      work: () => this.refresh(),
      onError: (error) => logger.warn({ err: error }, 'gauge of suspended offers not refreshed'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.job.stop();
  }

  private async refresh(): Promise<void> {
    const rows = await this.prisma.$queryRaw<{ code: string; count: bigint }[]>`
      SELECT CASE WHEN p.suspended_at IS NOT NULL THEN 'provider_suspended'
                  WHEN o.suspended_at IS NOT NULL THEN 'operator' ELSE o.watch_code END AS code, count(*)
      FROM catalog.offers o JOIN catalog.providers p ON p.wallet = o.provider_wallet
      WHERE o.withdrawn_at IS NULL
        AND (p.suspended_at IS NOT NULL OR o.suspended_at IS NOT NULL OR o.watch_code IS NOT NULL)
      GROUP BY 1`;
    this.metrics.suspended.reset();
    for (const { code, count } of rows) this.metrics.suspended.set({ code }, Number(count));
  }
}
