import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import type { Settler } from './settlement-cycle';
import { SettlementStatus } from './settlement-status';
import { SettlementSteps } from './settlement-steps';
import { StepLoop } from './step-loop';
import { SETTLER } from './tokens';

/** Collects on chain what wallets owe, step by step. */
@Injectable()
export class SettlementService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: StepLoop;

  constructor(
    config: BillingConfig,
    @Inject(SETTLER) private readonly settler: Settler | undefined,
    private readonly steps: SettlementSteps,
    status: SettlementStatus,
    private readonly rests: Rests,
  ) {
    this.loop = new StepLoop(config.chainPollMs, () => steps.take(settler), status);
  }

  onApplicationBootstrap(): void {
    if (this.settler) this.loop.start();
    // It says that it is off, and never is otherwise.
    else void this.loop.tick();
  }

  async onModuleDestroy(): Promise<void> {
    this.rests.leave();
    await this.loop.stop();
    if (this.settler) await this.steps.leave(this.settler).catch(() => undefined);
  }

  /** See {@link StepLoop.tick}. */
  tick(): Promise<void> {
    return this.loop.tick();
  }
}
