import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { IdempotencyMetrics } from './idempotency.metrics';
import { IdempotencyStore } from './idempotency.store';
import { StoredBytes } from './stored-bytes.service';

const INTERVAL_MS = 60_000;
/** Small enough that no admission under one of these keys waits for long. */
const PER_STATEMENT = 500;

/** Deletes what is kept of idempotent requests when its time is over. Replicas share the work without waiting for each other. */
@Injectable()
export class IdempotencyPurge implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly job: PeriodicJob;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: IdempotencyStore,
    private readonly metrics: IdempotencyMetrics,
    private readonly stored: StoredBytes,
  ) {
    this.job = new PeriodicJob({
      intervalMs: INTERVAL_MS,
      work: () => this.run(),
      onError: (error) => this.logger.warn({ err: error }, 'idempotent requests not purged'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): void {
    void this.job.stop();
  }

  onApplicationShutdown(): Promise<void> {
    return this.job.stop();
  }

  /** @returns how many requests it deleted */
  async purge(): Promise<number> {
    let total = 0;
    while (!this.job.stopped) {
      const deleted = await this.store.purge(PER_STATEMENT);
      this.metrics.purged(deleted);
      total += deleted;
      if (deleted < PER_STATEMENT) break;
    }
    await this.stored.renew();
    this.metrics.standing(await this.store.rows());
    return total;
  }

  private async run(): Promise<void> {
    const purged = await this.purge();
    if (purged > 0) this.logger.info({ purged }, 'idempotent requests purged');
  }
}
