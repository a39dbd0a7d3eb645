import { DueComparison } from './due-comparison';
import type { FullComparisonTurn } from './full-comparison-turn';
import type { ReconciliationService } from './reconciliation.service';
import type { ReconciliationStore } from './reconciliation.store';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const away = new Error('the chain does not answer');

/** Comparisons of which none was ever finished, each of which fails. */
function failing() {
  const reconcile = jest.fn().mockRejectedValue(away);
  const due = new DueComparison(
    { last: () => Promise.resolve(undefined) } as unknown as ReconciliationStore,
    { reconcile } as unknown as ReconciliationService,
    { take: (work: () => Promise<void>) => work() } as unknown as FullComparisonTurn,
  );
  return { due, reconcile };
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
});
