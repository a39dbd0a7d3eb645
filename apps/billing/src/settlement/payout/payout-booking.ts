import { Injectable } from '@nestjs/common';
import { ChainStore } from '../../chain/chain.store';
import { isUnreadable } from '../../chain/chain-connection';
import { failpoint } from '../../failpoint';
import { ChainGateway } from '../signer/chain-gateway';
import { PayoutStore } from './payout.store';

/** Books what the chain paid to providers, as of the safe depth. Whoever claims, and with whose root. */
@Injectable()
export class PayoutBooking {
  constructor(
    private readonly positions: ChainStore,
    private readonly chain: ChainGateway,
    private readonly store: PayoutStore,
  ) {}

  /** @throws the chain's and the database's errors */
  async book(): Promise<void> {
    const safeHash = (await this.positions.position())?.safe.hash;
    const { safeHash: booked, paid } = await this.store.paidView();
    if (safeHash === undefined || safeHash === booked) return;
    const total = await this.chain.totalPaid(safeHash).catch(undefinedIfUnreadable);
    if (total === undefined) return;
    const known = [...paid.values()].reduce((sum, amount) => sum + amount, 0n);
    await this.store.book(booked, safeHash, total === known ? new Map() : await this.paidAt(safeHash));
    failpoint('payout.booked');
  }

  private async paidAt(block: string): Promise<Map<string, bigint>> {
    const paid = new Map<string, bigint>();
    for (const provider of await this.store.providers())
      paid.set(provider, await this.chain.paid(provider, block));
    return paid;
  }
}

function undefinedIfUnreadable(error: unknown): undefined {
  if (isUnreadable(error)) return undefined;
  throw error;
}
