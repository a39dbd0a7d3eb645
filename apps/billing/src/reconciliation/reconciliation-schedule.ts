import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { BillingConfig } from '../billing.config';
import { BILLING_CONFIG } from '../tokens';
import { ReconciliationService } from './reconciliation.service';
import { ReconciliationStore } from './reconciliation.store';
import type { ReconciliationKind } from './reconciliation.store';

/** Has figures compared when it is time, by whichever instance comes first. */
@Injectable()
export class ReconciliationSchedule implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    @Inject(BILLING_CONFIG) private readonly config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: ReconciliationStore,
    private readonly service: ReconciliationService,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.run().then(() => this.schedule());
    }, this.config.reconciliationIntervalMs);
  }

  private async run(): Promise<void> {
    const { reconciliationIntervalMs, reconciliationFullIntervalMs } = this.config;
    try {
      if (await this.isTime('full', reconciliationFullIntervalMs)) await this.service.reconcile('full');
      else if (await this.isTime('incremental', reconciliationIntervalMs / 2)) {
        await this.service.reconcile('incremental');
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'figures not compared');
    }
  }

  private async isTime(kind: ReconciliationKind, intervalMs: number): Promise<boolean> {
    const age = await this.store.ageMs(kind);
    return age === undefined || age >= intervalMs;
  }
}
