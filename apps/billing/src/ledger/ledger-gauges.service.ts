import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { LedgerMetrics } from './ledger.metrics';
import { TrialBalanceStore } from './trial-balance.store';

const REFRESH_MS = 15_000;

/**
 * Keeps the gauges of what is held current, and says so loudly when the wallets' figures disagree with open holds, usage
 * records or credits. The sums of all transfers are reconciliation's.
 */
@Injectable()
export class LedgerGauges implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: PeriodicJob;

  constructor(
    private readonly store: TrialBalanceStore,
    private readonly metrics: LedgerMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new PeriodicJob({
      intervalMs: REFRESH_MS,
      atOnce: true,
      work: () => this.refresh(),
      onError: (error) => logger.warn({ err: error }, 'ledger gauges not refreshed'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.job.stop();
  }

  async refresh(): Promise<void> {
    const { heldByWallets, heldByOpenHolds, openHolds, lapsedHolds } = await this.store.held();
    this.metrics.openHolds.set(openHolds);
    this.metrics.lapsedHolds.set(lapsedHolds);
    this.metrics.held.set(Number(heldByOpenHolds));
    const { charged, credited } = await this.store.differences();
    const differences = { held: heldByWallets - heldByOpenHolds, charged, credited };
    for (const [set, difference] of Object.entries(differences)) {
      this.metrics.trialBalanceDifference.set({ set }, Number(difference));
      if (difference !== 0n)
        this.logger.error({ set, difference: String(difference) }, 'trial balance differs');
    }
  }
}
