import { Injectable } from '@nestjs/common';
import type { HoldReference, RenewedHolds } from '@svc/contracts';
import { BillingConfig } from '../billing.config';
import { LedgerService } from '../ledger/ledger.service';

/** Renews the leases of holds whose work is alive. */
@Injectable()
export class RenewalService {
  constructor(
    private readonly ledger: LedgerService,
    private readonly config: BillingConfig,
  ) {}

  /** Each hold is an operation of its own, so that a long list spreads over batches that others share. */
  async renew(holds: readonly HoldReference[], deadlineMs?: number): Promise<RenewedHolds> {
    const results = await Promise.all(
      holds.map(({ wallet, holdId }) => this.ledger.renew({ type: 'renew', wallet, holdId }, deadlineMs)),
    );
    return { renewed: results.filter(({ renewed }) => renewed).length, leaseMs: this.config.holdLeaseMs };
  }
}
