import { createLogger } from '@svc/observability';
import type { DatabaseClock } from '../database/database-clock';
import { IdempotencyPurge } from './idempotency-purge.service';
import type { IdempotencyMetrics } from './idempotency.metrics';
import type { IdempotencyStore } from './idempotency.store';
import type { StoredBytes } from './stored-bytes.service';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A purge once a minute by the database's clock, so far ahead of this machine's at first. */
function setUp(aheadMs = 0) {
  const clock = { aheadMs, read: () => Promise.resolve(new Date(Date.now() + clock.aheadMs)) };
  const deletions = jest.fn(() => Promise.resolve(0));
  const renewals = jest.fn(() => Promise.resolve());
  const purge = new IdempotencyPurge(
    createLogger('test', 'silent'),
    {
      purge: deletions,
      rows: () => Promise.resolve({ requests: 0, parts: 0 }),
    } as unknown as IdempotencyStore,
    { purged: jest.fn(), standing: jest.fn() } as unknown as IdempotencyMetrics,
    { renew: renewals } as unknown as StoredBytes,
    clock as unknown as DatabaseClock,
  );
  purge.onApplicationBootstrap();
  /** @returns how often it deleted in so long */
  const deletionsIn = async (ms: number) => {
    deletions.mockClear();
    await jest.advanceTimersByTimeAsync(ms);
    return deletions.mock.calls.length;
  };
  return { clock, deletionsIn, renewals, stop: () => purge.onApplicationShutdown() };
}

describe('IdempotencyPurge', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('deletes once a minute, though the clock is slewed', async () => {
    const { clock, deletionsIn, stop } = setUp();
    expect(await deletionsIn(MINUTE_MS)).toBe(1);
    clock.aheadMs += 30_000;
    expect(await deletionsIn(5 * MINUTE_MS)).toBe(5);
    await stop();
  });

  it('deletes nothing after the clock was set forward, until as much time has passed', async () => {
    const { clock, deletionsIn, renewals, stop } = setUp();
    await deletionsIn(MINUTE_MS);
    clock.aheadMs += DAY_MS;
    renewals.mockClear();
    expect(await deletionsIn(DAY_MS)).toBe(0);
    // What is kept goes on being counted.
    expect(renewals).toHaveBeenCalled();
    expect(await deletionsIn(3 * MINUTE_MS)).toBeGreaterThan(0);
    await stop();
  });

  it('deletes again once the clock is set right', async () => {
    const { clock, deletionsIn, stop } = setUp();
    await deletionsIn(MINUTE_MS);
    clock.aheadMs += DAY_MS;
    expect(await deletionsIn(5 * MINUTE_MS)).toBe(0);
    clock.aheadMs -= DAY_MS;
    expect(await deletionsIn(5 * MINUTE_MS)).toBe(5);
    await stop();
  });

  it('deletes nothing at first where the clock is ahead of this machine’s: it may have been set before the start', async () => {
    const { deletionsIn, stop } = setUp(DAY_MS);
    expect(await deletionsIn(DAY_MS)).toBe(0);
    expect(await deletionsIn(3 * MINUTE_MS)).toBeGreaterThan(0);
    await stop();
  });
});
