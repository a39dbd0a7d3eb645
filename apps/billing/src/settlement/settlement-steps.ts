import { Injectable } from '@nestjs/common';
import { failpoint } from '../failpoint';
import { JudgeService } from './judge.service';
import { PauseStore } from './pause.store';
import { SettlementCycle } from './settlement-cycle';
import type { Settler } from './settlement-cycle';
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

  /** @throws RefusedError, LeaseLostError, SettlementPausedError; the chain's and the database's errors */
  async take(settler: Settler): Promise<Condition> {
    if (!(await this.leases.hold(settler.sender.account.address))) return { state: 'standby' };
    failpoint('settlement.leased');
    const [pause] = await this.pauses.standing();
    if (pause) {
      // What the chain shows is the truth also now; only nothing new is sent there.
      await this.cycle.observe();
      await this.judge.judge();
      return { state: 'paused', detail: `by ${pause.actor}` };
    }
    const state = await this.cycle.advance(settler);
    await this.judge.judge();
    return { state };
  }

  /** Lets another instance sign at once. */
  leave(settler: Settler): Promise<void> {
    return this.leases.release(settler.sender.account.address);
  }
}
