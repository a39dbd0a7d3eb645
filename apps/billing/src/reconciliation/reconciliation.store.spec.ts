import type { PrismaClient } from '@svc/persistence';
import { Rests } from '../database/rests';
import { INCREMENTAL_CHECKS } from './ledger-checks';
import type { LedgerCheck } from './ledger-checks';
import { ReconciliationStore } from './reconciliation.store';

describe('ReconciliationStore', () => {
  it('begins no more comparisons, which may be long, when the process ends', async () => {
    const rests = new Rests();
    const ask = jest.fn(() => Promise.resolve([]));
    const database = { $queryRaw: ask } as unknown as PrismaClient;
    const store = new ReconciliationStore(database, 'sessions', database, rests);
    const [check] = INCREMENTAL_CHECKS as readonly [LedgerCheck];
    expect(await store.run(check)).toEqual([]);
    rests.leave();
    await expect(store.run(check)).rejects.toMatchObject({ name: 'AbortError' });
    expect(ask).toHaveBeenCalledTimes(1);
  });
});
