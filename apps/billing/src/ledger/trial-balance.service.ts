import { Injectable } from '@nestjs/common';
import type { TrialBalance } from '@svc/contracts';
import { TrialBalanceStore } from './trial-balance.store';

/** The sums that must balance. */
@Injectable()
export class TrialBalanceService {
  constructor(private readonly store: TrialBalanceStore) {}

  async show(): Promise<TrialBalance> {
    const { accounts, held } = await this.store.all();
    const sum = (side: 'debits' | 'credits') =>
      accounts.reduce((total, account) => total + account[side], 0n);
    return {
      debits: String(sum('debits')),
      credits: String(sum('credits')),
      accounts: accounts.map(({ account, debits, credits }) => ({
        account,
        debits: String(debits),
        credits: String(credits),
      })),
      heldByWallets: String(held.heldByWallets),
      heldByOpenHolds: String(held.heldByOpenHolds),
      openHolds: held.openHolds,
    };
  }
}
