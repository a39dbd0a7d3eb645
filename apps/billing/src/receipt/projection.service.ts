import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { restAfter } from '../database/rests';
import { ProjectionMetrics } from './projection.metrics';
import { ProjectionStore } from './projection.store';
import type { ProjectionLag, ProjectionName } from './projection.store';

const INTERVAL_MS = 1_000;
/** For each projection, of each interval. */
const WINDOW_MS = 500;
/** A commit's worth: short, so that neither the log nor a processor is kept from the ledger for long. */
const MOST = 400;
/** A projection that is further behind works on without rests: under lasting load it would fall behind for ever. */
const BEHIND_S = 30;

interface ProjectOptions {
  /** By `performance.now()`: when it is given up though there is more. */
  readonly deadlineMs?: number;
  /** Whether it rests between its pieces, so that others get to the database. */
  readonly rests?: boolean;
}

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

  /** Whether the process ends: what is not read yet is read after the next start. */
  get stopped(): boolean {
    return this.job.stopped;
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
   * @returns whether it came to the end; not when it was given up, or the process ends
   */
  async project(name: ProjectionName, options: ProjectOptions = {}): Promise<boolean> {
    return (await this.runUntil(name, options)).isAll;
  }

  /**
   * One interval's work; goes on while it brings a projection nearer that is far behind. One that fails keeps no other waiting.
   * @throws what the first failed with, once the others are done
   */
  async tick(): Promise<void> {
    const failures: unknown[] = [];
    let lags = await this.look();
    let read: number;
    do {
      read = 0;
      for (const { name, rows, seconds } of lags) {
        // Asking costs a read, projecting nothing a commit.
        if (rows === 0) continue;
        const options = { deadlineMs: performance.now() + WINDOW_MS, rests: seconds <= BEHIND_S };
        try {
          read += (await this.runUntil(name, options)).read;
        } catch (error) {
          failures.push(error);
        }
      }
      lags = await this.look();
    } while (
      failures.length === 0 &&
      read > 0 &&
      !this.job.stopped &&
      lags.some(({ seconds }) => seconds > BEHIND_S)
    );
    if (failures.length > 0) throw failures[0];
  }

  /** Before the work as after it: who fails at the work each time is further behind each time. */
  private async look(): Promise<ProjectionLag[]> {
    const lags = await this.store.lag();
    for (const { name, rows, seconds } of lags) {
      this.metrics.lagRows.set({ projection: name }, rows);
      this.metrics.lagSeconds.set({ projection: name }, seconds);
    }
    return lags;
  }

  /** @returns how many records it read, and whether these are all */
  private async runUntil(name: ProjectionName, { deadlineMs = Infinity, rests = false }: ProjectOptions) {
    for (let total = 0; ;) {
      const startedMs = performance.now();
      const read = await this.store.run(name, MOST);
      this.metrics.records.inc({ projection: name }, read);
      total += read;
      const isAll = read < MOST;
      const restMs = rests ? restAfter(startedMs) : 0;
      if (isAll || this.job.stopped || performance.now() + restMs >= deadlineMs)
        return { read: total, isAll };
      await delay(restMs);
    }
  }
}
