import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../../database/rests';
import type { TransactionStore } from '../signer/transaction.store';
import { PayoutStore } from './payout.store';

function storeOf(prisma: object, rests: Rests): PayoutStore {
  return new PayoutStore(prisma as PrismaClient, {} as TransactionStore, rests);
}

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
    const store = storeOf(prisma, rests);
    await expect(store.release()).rejects.toMatchObject({ name: 'AbortError' });
    expect(calls).toBe(2);
  });

  it('releases many small dues in one commit, and few large ones', async () => {
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const pieces: number[] = [];
    const prisma = {
      $queryRaw: (_: TemplateStringsArray, beyond: string, dues: number) => {
        pieces.push(dues);
        // Those that come first have a receipt or two, the others thousands.
        nowMs += pieces.length <= 8 ? 1 : dues * 8;
        return Promise.resolve([{ last: pieces.length < 16 ? `${beyond}.` : null }]);
      },
    };
    const rests = { throwIfLeaving: () => undefined, after: () => Promise.resolve() } as unknown as Rests;
    await storeOf(prisma, rests).release();
    clock.mockRestore();
    expect(pieces).toEqual([1, 2, 4, 8, 16, 32, 50, 50, 50, 25, 13, 7, 4, 2, 1, 1]);
  });
});
