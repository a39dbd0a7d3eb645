import type { PrismaClient } from '@svc/persistence';
import { BillingConfig } from '../../billing.config';
import { Rests } from '../../database/rests';
import type { PauseStore } from '../pause.store';
import type { TransactionStore } from '../signer/transaction.store';
import { PayoutStore } from './payout.store';

describe('PayoutStore', () => {
  it('leaves the rest of a backlog of shares to the next start when the process ends', async () => {
    const rests = new Rests();
    let calls = 0;
    const prisma = {
      // There is always more to release.
      $queryRaw: () => {
        if (++calls === 2) rests.leave();
        return calls < 100 ? Promise.resolve([{ last: 'wallet' }]) : Promise.reject(new Error('goes on'));
      },
    };
    const store = new PayoutStore(
      prisma as unknown as PrismaClient,
      new BillingConfig(),
      {} as TransactionStore,
      {} as PauseStore,
      rests,
    );
    await expect(store.release()).rejects.toMatchObject({ name: 'AbortError' });
    expect(calls).toBe(2);
  });
});
