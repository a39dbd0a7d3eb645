import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import type { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import { BILLING_CONFIG } from '../tokens';
import { ReconciliationService } from './reconciliation.service';
import { ReconciliationStore } from './reconciliation.store';
import type { ReconciliationKind } from './reconciliation.store';

/** Has figures compared when it is time, by whichever instance comes first. */
@Injectable()
export class ReconciliationSchedule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: PeriodicJob;

  constructor(
    @Inject(BILLING_CONFIG) private readonly config: BillingConfig,
    @Inject(LOGGER) logger: Logger,
    private readonly store: ReconciliationStore,
    private readonly service: ReconciliationService,
    private readonly rests: Rests,
  ) {
    this.job = new PeriodicJob({
      intervalMs: config.reconciliationIntervalMs,
      work: () => this.run(),
      onError: (error) => logger.warn({ err: error }, 'figures not compared'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): Promise<void> {
    this.rests.leave();
    return this.job.stop();
  }

  private async run(): Promise<void> {
    const { reconciliationIntervalMs, reconciliationFullIntervalMs } = this.config;
    if (await this.isTime('full', reconciliationFullIntervalMs)) await this.service.reconcile('full');
    else if (await this.isTime('incremental', reconciliationIntervalMs / 2)) {
      await this.service.reconcile('incremental');
    }
  }

  private async isTime(kind: ReconciliationKind, intervalMs: number): Promise<boolean> {
    const age = await this.store.ageMs(kind);
    return age === undefined || age >= intervalMs;
  }
}
