import { Injectable } from '@nestjs/common';
import { failpoint } from '../failpoint';
import { JudgeService } from './judge.service';
import { PauseStore } from './pause.store';
import { SettlementCycle } from './settlement-cycle';
import type { Settler } from './settlement-cycle';
import { pausedBy } from './settlement-state';
import type { Condition } from './settlement-state';
import { SignerLeaseStore } from './signer/signer-lease.store';

/** One step of settlement, by the one process that may take it. */
@Injectable()
export class SettlementSteps {
  constructor(
    private readonly leases: SignerLeaseStore,
    private readonly pauses: PauseStore,
    private readonly cycle: SettlementCycle,
    private readonly judge: JudgeService,
  ) {}

  /** @throws RefusedError, HinderedError, LeaseLostError, SettlementPausedError; the chain's and the database's errors */
  async take(settler: Settler | undefined): Promise<Condition> {
    if (!settler) return { state: 'off', detail: 'SETTLER_KEY is not set' };
    const { address } = settler.sender.account;
    return (await this.leases.during(address, () => this.step(settler))) ?? { state: 'standby' };
  }

  /** Lets another instance sign at once. */
  leave(settler: Settler): Promise<void> {
    return this.leases.release(settler.sender.account.address);
  }

  private async step(settler: Settler): Promise<Condition> {
    failpoint('settlement.leased');
    // What the chain shows is the truth also while settlement is paused; only nothing is sent there then. Judged before
    // the next batch asks the same wallets again.
    const seen = await this.cycle.observe();
    await this.judge.judge();
    const [pause] = await this.pauses.standing();
    if (pause) return pausedBy(pause);
    return this.cycle.advance(settler, seen);
  }
}
