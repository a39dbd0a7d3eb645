import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { PeriodicJob } from '@svc/service-host';
import type { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import { BILLING_CONFIG } from '../tokens';
import type { Settler } from './settlement-cycle';
import { SettlementStatus } from './settlement-status';
import { SettlementSteps } from './settlement-steps';
import { SETTLER } from './tokens';

/** Collects on chain what wallets owe, step by step for as long as the process lives. */
@Injectable()
export class SettlementService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: PeriodicJob;
  /** Steps happen one after the other. */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    @Inject(BILLING_CONFIG) config: BillingConfig,
    @Inject(SETTLER) private readonly settler: Settler | undefined,
    private readonly steps: SettlementSteps,
    private readonly status: SettlementStatus,
    private readonly rests: Rests,
  ) {
    this.job = new PeriodicJob({
      intervalMs: config.chainPollMs,
      work: () => this.tick(),
      onError: (error) => this.status.failed(error),
    });
  }

  onApplicationBootstrap(): void {
    if (this.settler) this.job.start();
    else this.status.set({ state: 'off', detail: 'SETTLER_KEY is not set' });
  }

  async onModuleDestroy(): Promise<void> {
    this.rests.leave();
    await this.job.stop();
    await this.turn;
    if (this.settler) await this.steps.leave(this.settler).catch(() => undefined);
  }

  /** Takes one step now. Never throws: what went wrong is the status. */
  tick(): Promise<void> {
    this.turn = this.turn.then(() => this.step());
    return this.turn;
  }

  private async step(): Promise<void> {
    if (!this.settler) return;
    try {
      this.status.set(await this.steps.take(this.settler));
    } catch (error) {
      this.status.failed(error);
    }
  }
}
