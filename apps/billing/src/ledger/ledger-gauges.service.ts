import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { LedgerMetrics } from './ledger.metrics';
import { TrialBalanceStore } from './trial-balance.store';

const REFRESH_MS = 15_000;

/**
 * Keeps the gauges of what is held current, and says so loudly when the wallets' figures disagree with open holds, usage
 * records or credits. The sums of all transfers are reconciliation's.
 */
@Injectable()
export class LedgerGauges implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: TrialBalanceStore,
    private readonly metrics: LedgerMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    void this.refresh();
    this.timer = setInterval(() => void this.refresh(), REFRESH_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async refresh(): Promise<void> {
    try {
      const { heldByWallets, heldByOpenHolds, openHolds } = await this.store.held();
      this.metrics.openHolds.set(openHolds);
      this.metrics.held.set(Number(heldByOpenHolds));
      const { charged, credited } = await this.store.differences();
      const differences = { held: heldByWallets - heldByOpenHolds, charged, credited };
      for (const [set, difference] of Object.entries(differences)) {
        this.metrics.trialBalanceDifference.set({ set }, Number(difference));
        if (difference !== 0n)
          this.logger.error({ set, difference: String(difference) }, 'trial balance differs');
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'ledger gauges not refreshed');
    }
  }
}
