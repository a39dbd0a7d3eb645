import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { CHAIN_JOB_STATES } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { BillingConfig } from '../billing.config';
import { BatchListStore } from './batch-list.store';
import { PauseStore } from './pause.store';
import { SettlementMetrics } from './settlement.metrics';

const REFRESH_MS = 15_000;

/** Keeps the gauges of settlement current, on every instance. */
@Injectable()
export class SettlementGauges implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: PeriodicJob;

  constructor(
    @Inject(LOGGER) logger: Logger,
    private readonly config: BillingConfig,
    private readonly store: BatchListStore,
    private readonly pauses: PauseStore,
    private readonly metrics: SettlementMetrics,
  ) {
    this.job = new PeriodicJob({
      intervalMs: REFRESH_MS,
      atOnce: true,
      work: () => this.refresh(),
      onError: (error) => logger.warn({ err: error }, 'settlement gauges not refreshed'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  async refresh(): Promise<void> {
    const [figures, pauses] = await Promise.all([this.store.figures(), this.pauses.standing()]);
    this.metrics.unsettled.set(Number(figures.unsettled));
    this.metrics.unbatched.set(figures.unbatched);
    this.metrics.failedPulls.set(figures.failedWallets);
    this.metrics.gasSpent.set(Number(figures.gasSpent));
    this.metrics.gasTipShare.set(Number(figures.gasTip) / Number(this.config.settlementMaxFeePerGas));
    this.metrics.batchAge.set(figures.batchAgeMs / 1_000);
    this.metrics.paused.set(pauses.length > 0 ? 1 : 0);
    for (const state of CHAIN_JOB_STATES) {
      this.metrics.batches.set({ state }, figures.batches[state] ?? 0);
    }
  }
}
