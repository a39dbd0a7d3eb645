import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { BillingConfig } from '../../billing.config';
import { Rests } from '../../database/rests';
import type { JobSender } from '../signer/job-sender';
import { StepLoop } from '../step-loop';
import { PAYER } from '../tokens';
import { PayoutStatus } from './payout-status';
import { PayoutSteps } from './payout-steps';

/** Publishes what providers have earned, so that they can claim it, and books what they claimed. */
@Injectable()
export class PayoutService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: StepLoop;

  constructor(
    config: BillingConfig,
    @Inject(PAYER) private readonly payer: JobSender | undefined,
    private readonly steps: PayoutSteps,
    { signer }: PayoutStatus,
    private readonly rests: Rests,
  ) {
    this.loop = new StepLoop(config.chainPollMs, () => steps.take(payer), signer);
  }

  /** Without its key too: what was claimed is booked all the same. */
  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.rests.leave();
    await this.loop.stop();
    if (this.payer) await this.steps.leave(this.payer).catch(() => undefined);
  }

  /** See {@link StepLoop.tick}. */
  tick(): Promise<void> {
    return this.loop.tick();
  }
}
