import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { PeriodicJob } from '@svc/service-host';
import type { BillingConfig } from '../../billing.config';
import { Rests } from '../../database/rests';
import { BILLING_CONFIG } from '../../tokens';
import type { JobSender } from '../signer/job-sender';
import { PAYER } from '../tokens';
import { PayoutStatus } from './payout-status';
import { PayoutSteps } from './payout-steps';

/** Publishes what providers have earned, so that they can claim it, and books what they claimed. */
@Injectable()
export class PayoutService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: PeriodicJob;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    @Inject(BILLING_CONFIG) config: BillingConfig,
    @Inject(PAYER) private readonly payer: JobSender | undefined,
    private readonly steps: PayoutSteps,
    private readonly status: PayoutStatus,
    private readonly rests: Rests,
  ) {
    this.job = new PeriodicJob({
      intervalMs: config.chainPollMs,
      work: () => this.tick(),
      onError: (error) => this.status.signer.failed(error),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.rests.leave();
    await this.job.stop();
    await this.turn;
    if (this.payer) await this.steps.leave(this.payer).catch(() => undefined);
  }

  /** Takes one step now. Never throws: what went wrong is the status; not what the process's end cuts short. */
  tick(): Promise<void> {
    this.turn = this.turn.then(() => this.step());
    return this.turn;
  }

  private async step(): Promise<void> {
    try {
      this.status.signer.set(await this.steps.take(this.payer));
    } catch (error) {
      if (!this.job.stopped) this.status.signer.failed(error);
    }
  }
}
