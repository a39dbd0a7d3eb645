import { Injectable } from '@nestjs/common';
import { ChainStore } from '../../chain/chain.store';
import { undefinedIfUnreadable } from '../../chain/chain-connection';
import { failpoint } from '../../failpoint';
import { ChainGateway } from '../signer/chain-gateway';
import { PayoutStore } from './payout.store';
import type { PaidView } from './payout.store';

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
    const view = await this.store.paidView();
    if (safeHash === undefined || safeHash === view.safeHash) return;
    const total = await this.chain.totalPaid(safeHash).catch(undefinedIfUnreadable);
    if (total === undefined) return;
    await this.store.book(view.safeHash, safeHash, await this.changed(view, safeHash, total));
    failpoint('payout.booked');
  }

  /** What was paid to those for whom it may be another sum than is booked. */
  private async changed(
    { safeHash: booked, paid }: PaidView,
    safeHash: string,
    total: bigint,
  ): Promise<ReadonlyMap<string, bigint>> {
    // The chain knows it also when it is older than the blocks that are kept here.
    const since = booked === undefined ? -1 : await this.chain.numberOf(booked);
    // After a reorganisation the sum may be the same, and paid to others.
    if (since === undefined) return this.paidAt(safeHash, await this.store.providers());
    if (sumOf(paid) === total) return new Map();
    const named = await this.paidAt(safeHash, await this.store.paidSince(since));
    // Events say whom to ask, the sum whether these are all: who was unpaid by a reorganisation is in no event.
    if (sumOf(new Map([...paid, ...named])) === total) return named;
    return this.paidAt(safeHash, await this.store.providers());
  }

  private async paidAt(block: string, providers: readonly string[]): Promise<Map<string, bigint>> {
    const paid = new Map<string, bigint>();
    for (const provider of providers) paid.set(provider, await this.chain.paid(provider, block));
    return paid;
  }
}

function sumOf(paid: ReadonlyMap<string, bigint>): bigint {
  return [...paid.values()].reduce((sum, amount) => sum + amount, 0n);
}
