import { Injectable } from '@nestjs/common';
import { PauseStore } from '../pause.store';
import { pausedBy } from '../settlement-state';
import type { Condition } from '../settlement-state';
import type { JobSender } from '../signer/job-sender';
import { SignerLeaseStore } from '../signer/signer-lease.store';
import { PayoutBooking } from './payout-booking';
import { PayoutCycle } from './payout-cycle';

/** One step of payouts. */
@Injectable()
export class PayoutSteps {
  constructor(
    private readonly leases: SignerLeaseStore,
    private readonly pauses: PauseStore,
    private readonly booking: PayoutBooking,
    private readonly cycle: PayoutCycle,
  ) {}

  /**
   * Books what was paid; publishes if this process has the key and the lease, and nothing is paused.
   * @throws as `PayoutCycle.advance` does
   */
  async take(payer: JobSender | undefined): Promise<Condition> {
    await this.booking.book();
    if (!payer) return { state: 'off', detail: 'PAYER_KEY is not set' };
    const { address } = payer.account;
    return (await this.leases.during(address, () => this.publish(payer))) ?? { state: 'standby' };
  }

  leave(payer: JobSender): Promise<void> {
    return this.leases.release(payer.account.address);
  }

  private async publish(payer: JobSender): Promise<Condition> {
    const [pause] = await this.pauses.standing();
    if (pause) return pausedBy(pause);
    return this.cycle.advance(payer);
  }
}
