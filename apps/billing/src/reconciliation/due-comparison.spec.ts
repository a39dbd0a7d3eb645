import { DueComparison } from './due-comparison';
import type { FullComparisonTurn } from './full-comparison-turn';
import type { ReconciliationService } from './reconciliation.service';
import type { FinishedReconciliation, ReconciliationStore } from './reconciliation.store';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const away = new Error('the chain does not answer');

/** @param last what the last finished comparison found, if there was one */
function comparisons(reconcile: jest.Mock, last?: FinishedReconciliation): DueComparison {
  return new DueComparison(
    { last: () => Promise.resolve(last) } as unknown as ReconciliationStore,
    { reconcile, found: jest.fn(), awaited: jest.fn() } as unknown as ReconciliationService,
    { take: (work: () => Promise<void>) => work() } as unknown as FullComparisonTurn,
  );
}

/** Comparisons of which none was ever finished, each of which fails. */
function failing() {
  const reconcile = jest.fn().mockRejectedValue(away);
  return { due: comparisons(reconcile), reconcile };
}

describe('a comparison that is due', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('in full, and fails, is made again a quarter of an hour later, and not each minute', async () => {
    const { due, reconcile } = failing();
    await expect(due.run('full', DAY_MS)).rejects.toBe(away);
    jest.advanceTimersByTime(14 * MINUTE_MS);
    await due.run('full', DAY_MS);
    expect(reconcile).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(MINUTE_MS);
    await expect(due.run('full', DAY_MS)).rejects.toBe(away);
  });

  it('of what is cheap is made again whenever it is asked for', async () => {
    const { due, reconcile } = failing();
    await expect(due.run('incremental', MINUTE_MS)).rejects.toBe(away);
    await expect(due.run('incremental', MINUTE_MS)).rejects.toBe(away);
    expect(reconcile).toHaveBeenCalledTimes(2);
  });

  it.each([
    [0, 15, 0],
    [0, 24 * 60, 1],
    [2, 14, 0],
    [2, 15, 1],
    // The database's clock was set back since.
    [0, -1, 1],
  ])(
    'in full, after one that found %i differences %i minutes ago, is made %i times',
    async (differences, minutes, times) => {
      const reconcile = jest.fn().mockResolvedValue([]);
      await comparisons(reconcile, { differences, ageMs: minutes * MINUTE_MS }).run('full', DAY_MS);
      expect(reconcile).toHaveBeenCalledTimes(times);
    },
  );
});
