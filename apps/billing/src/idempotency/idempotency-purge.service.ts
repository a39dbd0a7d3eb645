import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { ClockJumps } from '../database/clock-jumps';
import { DatabaseClock } from '../database/database-clock';
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
  /** Before it is seen for the first time, the database's clock is expected to show what this machine's does. */
  private readonly jumps = new ClockJumps(Date.now() - performance.now());
  /** By `performance.now()`: until then what is past its time by the database's clock need not be by any other. */
  private doubtedUntilMs = 0;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: IdempotencyStore,
    private readonly metrics: IdempotencyMetrics,
    private readonly stored: StoredBytes,
    private readonly clock: DatabaseClock,
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

  /** @returns how many requests it deleted: none if all are kept */
  async purge(keepsAll = false): Promise<number> {
    let total = 0;
    while (!keepsAll && !this.job.stopped) {
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
    const purged = await this.purge(await this.isDoubtful());
    if (purged > 0) this.logger.info({ purged }, 'idempotent requests purged');
  }

  /**
   * Whether the database's clock was set forward, and less time has passed since than it was set: in that case a key that is deleted would be
   * charged anew once the clock is right again. That it was set back ends it.
   */
  private async isDoubtful(): Promise<boolean> {
    const askedMs = performance.now();
    const jumpMs = this.jumps.since(await this.clock.read(), askedMs);
    if (Math.abs(jumpMs) > INTERVAL_MS) {
      this.doubtedUntilMs = Math.max(this.doubtedUntilMs, askedMs) + jumpMs;
      const message =
        "the database's clock was set, or is not this machine's: idempotent requests are kept for as long as it was set forward";
      this.logger.warn({ jumpMs: Math.round(jumpMs) }, message);
    }
    return askedMs < this.doubtedUntilMs;
  }
}
