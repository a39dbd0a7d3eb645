import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { LedgerMetrics } from './ledger.metrics';
import { TrialBalanceStore } from './trial-balance.store';

const REFRESH_MS = 15_000;

/** Keeps the gauges of what is held current, and says so loudly when wallets and open holds disagree. */
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
      this.metrics.trialBalanceDifference.set(Number(heldByWallets - heldByOpenHolds));
      if (heldByWallets !== heldByOpenHolds) {
        this.logger.error(
          { heldByWallets: String(heldByWallets), heldByOpenHolds: String(heldByOpenHolds) },
          'trial balance differs',
        );
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'ledger gauges not refreshed');
    }
  }
}
