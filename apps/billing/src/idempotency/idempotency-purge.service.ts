import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { IdempotencyMetrics } from './idempotency.metrics';
import { IdempotencyStore } from './idempotency.store';

const INTERVAL_MS = 60_000;
/** Small enough that no admission under one of these keys waits for long. */
const PER_STATEMENT = 500;

/** Deletes what is kept of idempotent requests when its time is over. Replicas share the work without waiting for each other. */
@Injectable()
export class IdempotencyPurge implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private purging: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: IdempotencyStore,
    private readonly metrics: IdempotencyMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  onModuleDestroy(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.purging;
  }

  /** @returns how many requests it deleted */
  async purge(): Promise<number> {
    let total = 0;
    while (!this.stopped) {
      const deleted = await this.store.purge(PER_STATEMENT);
      this.metrics.purged(deleted);
      total += deleted;
      if (deleted < PER_STATEMENT) break;
    }
    this.metrics.standing(await this.store.rows());
    return total;
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.purging = this.run();
    }, INTERVAL_MS);
  }

  private async run(): Promise<void> {
    try {
      const purged = await this.purge();
      if (purged > 0) this.logger.info({ purged }, 'idempotent requests purged');
    } catch (error) {
      this.logger.warn({ err: error }, 'idempotent requests not purged');
    }
    if (!this.stopped) this.schedule();
  }
}
