import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { within } from '@svc/time-limit';
import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import { DueComparison } from './due-comparison';
import { ReconciliationStore } from './reconciliation.store';
import type { ReconciliationKind } from './reconciliation.store';

const CANCEL_EVERY_MS = 200;

/** Has figures compared when it is time, by whichever instance comes first. */
@Injectable()
export class ReconciliationSchedule implements OnApplicationBootstrap, OnModuleDestroy {
  /** Two, for a full comparison may take long, or never come to its end: what is cheap is compared meanwhile. */
  private readonly jobs: readonly PeriodicJob[];

  constructor(
    config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: ReconciliationStore,
    private readonly due: DueComparison,
    private readonly rests: Rests,
  ) {
    const { reconciliationIntervalMs: intervalMs, reconciliationFullIntervalMs } = config;
    this.jobs = [
      this.job('incremental', intervalMs, intervalMs / 2),
      this.job('full', intervalMs, reconciliationFullIntervalMs),
    ];
  }

  onApplicationBootstrap(): void {
    for (const job of this.jobs) job.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.rests.leave();
    await this.cancelUntil(Promise.all(this.jobs.map((job) => job.stop())));
  }

  /**
   * A statement of a full comparison may take longer than the process has to end; a comparison that was cut short is not done, and due.
   * Again and again, for one may be on its way to the server yet.
   */
  private async cancelUntil(stopped: Promise<unknown>): Promise<void> {
    while (!(await within(CANCEL_EVERY_MS, stopped)))
      await this.store
        .cancel()
        .catch((error: unknown) => this.logger.warn({ err: error }, 'comparison not cancelled'));
  }

  /** @param dueMs how long ago the last one ended, anywhere, when it is time for another */
  private job(kind: ReconciliationKind, intervalMs: number, dueMs: number): PeriodicJob {
    return new PeriodicJob({
      intervalMs,
      work: () => this.due.run(kind, dueMs),
      onError: (error) => this.logger.warn({ err: error, kind }, 'figures not compared'),
    });
  }
}
