import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { restAfter } from '../database/rests';
import { ProjectionMetrics } from './projection.metrics';
import { ProjectionStore } from './projection.store';
import type { ProjectionName } from './projection.store';

const INTERVAL_MS = 1_000;
/** For each projection, of each interval. */
const WINDOW_MS = 500;
/** A commit's worth: short, so that neither the log nor a processor is kept from the ledger for long. */
const MOST = 200;

/**
 * Turns what the ledger committed into receipts and statement lines, over ordinary connections: the ledger's own never
 * waits for it. Any number of instances may do so at once; the database lets one at a time.
 */
@Injectable()
export class ProjectionService implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly job: PeriodicJob;

  constructor(
    private readonly store: ProjectionStore,
    private readonly metrics: ProjectionMetrics,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new PeriodicJob({
      intervalMs: INTERVAL_MS,
      work: () => this.tick(),
      onError: (error) => logger.warn({ err: error }, 'receipts and statements not brought up to date'),
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

  /**
   * Reads until there is nothing more to read: after it, every record has been read that was committed before the call, and
   * before every commit that was still under way then.
   * @param deadlineMs by `performance.now()`: when it is given up though there is more, resting between its pieces until then
   */
  async project(name: ProjectionName, deadlineMs = Infinity): Promise<void> {
    await this.runUntil(name, deadlineMs);
  }

  /** One interval's work. */
  async tick(): Promise<void> {
    for (const { name, rows } of await this.store.lag()) {
      // Asking costs a read, projecting nothing a commit.
      if (rows > 0) await this.runUntil(name, performance.now() + WINDOW_MS);
    }
    for (const { name, rows, seconds } of await this.store.lag()) {
      this.metrics.lagRows.set({ projection: name }, rows);
      this.metrics.lagSeconds.set({ projection: name }, seconds);
    }
  }

  private async runUntil(name: ProjectionName, deadlineMs: number): Promise<void> {
    for (;;) {
      const startedMs = performance.now();
      const read = await this.store.run(name, MOST);
      this.metrics.records.inc({ projection: name }, read);
      const restMs = deadlineMs === Infinity ? 0 : restAfter(startedMs);
      if (read < MOST || this.job.stopped || performance.now() + restMs >= deadlineMs) return;
      await delay(restMs);
    }
  }
}
