import { Injectable } from '@nestjs/common';
import { PauseStore } from '../pause.store';
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

  /** Books what was paid; publishes if this process has the key and the lease, and nothing is paused. */
  async take(payer: JobSender | undefined): Promise<void> {
    await this.booking.book();
    if (payer) await this.leases.during(payer.account.address, () => this.publish(payer));
  }

  leave(payer: JobSender): Promise<void> {
    return this.leases.release(payer.account.address);
  }

  private async publish(payer: JobSender): Promise<void> {
    if ((await this.pauses.standing()).length > 0) return;
    await this.cycle.advance(payer);
  }
}
