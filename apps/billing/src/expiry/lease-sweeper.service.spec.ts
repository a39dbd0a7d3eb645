import { createLogger } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import type { ResolutionService } from '../hold/resolution.service';
import type { ExpiryGrace } from './expiry-grace.service';
import type { LapsedHoldStore } from './lapsed-hold.store';
import { LeaseSweeper } from './lease-sweeper.service';

const LEASE_MS = 60_000;
const EPOCH_MS = Date.UTC(2026, 10, 28);
const HOLD = { wallet: `0x${'a'.repeat(40)}`, holdId: 'req_1' };

/** A sweeper whose search for lapsed holds takes so long. */
function sweeperThatTakes(searchMs: number) {
  const clock = jest.spyOn(performance, 'now');
  let nowMs = 1_000_000;
  clock.mockImplementation(() => nowMs);
  const found = [[HOLD], []];
  return sweeperOver(() => {
    nowMs += searchMs;
    return found.shift() ?? [];
  });
}

/** @param aheadMs how far the database's clock is ahead of the process' */
function sweeperOver(lapsed: () => object[], aheadMs = () => 0) {
  let isResting = false;
  const grace = {
    isOver: jest.fn(() => Promise.resolve(!isResting)),
    restart: jest.fn(() => void (isResting = true)),
  };
  const endGrace = () => void (isResting = false);
  const store = {
    lapsed: () => {
      const holds = lapsed();
      return Promise.resolve({ at: new Date(EPOCH_MS + performance.now() + aheadMs()), holds });
    },
  };
  const holds = { expire: jest.fn(() => Promise.resolve(true)) };
  const config = Object.assign(new BillingConfig(), { holdLeaseMs: LEASE_MS });
  const sweeper = new LeaseSweeper(
    config,
    createLogger('test', 'silent'),
    store as unknown as LapsedHoldStore,
    holds as unknown as ResolutionService,
    grace as unknown as ExpiryGrace,
  );
  return { sweeper, grace, holds, endGrace };
}

describe('LeaseSweeper', () => {
  afterEach(() => jest.restoreAllMocks());

  it('expires what has lapsed', async () => {
    const { sweeper, grace, holds } = sweeperThatTakes(5);
    expect(await sweeper.sweep()).toBe(1);
    expect(holds.expire).toHaveBeenCalledWith(HOLD);
    expect(grace.restart).not.toHaveBeenCalled();
  });

  it('expires nothing while the silence may be our own doing', async () => {
    const { sweeper, grace, holds } = sweeperThatTakes(5);
    grace.isOver.mockResolvedValue(false);
    expect(await sweeper.sweep()).toBe(0);
    expect(holds.expire).not.toHaveBeenCalled();
  });

  it('goes on for as long as there are more than it reads at once, and it can free any', async () => {
    const page = Array.from({ length: 2_000 }, () => HOLD);
    const pages = [page, page, [HOLD], page];
    const { sweeper, holds } = sweeperOver(() => pages.shift() ?? []);
    expect(await sweeper.sweep()).toBe(4_001);
    holds.expire.mockResolvedValue(false);
    pages.push(page, page);
    expect(await sweeper.sweep()).toBe(0);
    expect(pages).toHaveLength(2);
  });

  it.each([0, 1, LEASE_MS / 8, LEASE_MS / 4])(
    'expires what nobody renews within two sweeps of the end of its lease, given %i ms after its start',
    async (givenAfterMs) => {
      jest.useFakeTimers();
      try {
        const lapsesAtMs = performance.now() + givenAfterMs + LEASE_MS;
        let isOpen = true;
        const { sweeper, grace, holds } = sweeperOver(() =>
          isOpen && performance.now() >= lapsesAtMs ? [HOLD] : [],
        );
        holds.expire.mockImplementation(() => {
          isOpen = false;
          return Promise.resolve(true);
        });
        sweeper.onApplicationBootstrap();
        await jest.advanceTimersByTimeAsync(givenAfterMs + LEASE_MS - 1);
        expect(holds.expire).not.toHaveBeenCalled();
        await jest.advanceTimersByTimeAsync(1 + (2 * LEASE_MS) / 4);
        expect(holds.expire.mock.calls).toEqual([[HOLD]]);
        expect(grace.restart).not.toHaveBeenCalled();
        sweeper.onModuleDestroy();
      } finally {
        jest.useRealTimers();
      }
    },
  );

  it('waits anew before it expires anything when it comes late: the process stood still', async () => {
    jest.useFakeTimers();
    try {
      const { sweeper, grace } = sweeperOver(() => []);
      sweeper.onApplicationBootstrap();
      const now = performance.now.bind(performance);
      // The clock goes on, and no timer is looked at meanwhile.
      jest.spyOn(performance, 'now').mockImplementation(() => now() + LEASE_MS / 4 + 1);
      await jest.advanceTimersByTimeAsync(LEASE_MS / 4);
      expect(grace.restart).toHaveBeenCalledTimes(1);
      expect(grace.restart.mock.invocationCallOrder[0]).toBeLessThan(
        grace.isOver.mock.invocationCallOrder[0] ?? 0,
      );
      sweeper.onModuleDestroy();
    } finally {
      jest.useRealTimers();
    }
  });

  it('expires nothing of what it found after it stood still in the middle of a sweep: renewals may wait unheard', async () => {
    const { sweeper, grace, holds } = sweeperThatTakes(LEASE_MS);
    expect(await sweeper.sweep()).toBe(0);
    expect(holds.expire).not.toHaveBeenCalled();
    expect(grace.restart).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['set forward by more than what lies between two sweeps', LEASE_MS / 4 + 1, 0],
    ['set forward by less', LEASE_MS / 4, 1],
    ['set back', -3_600_000, 1],
  ])('has nobody held late whose lease lapsed because the database was %s', async (_, jumpMs, freed) => {
    const found: object[][] = [[], [HOLD]];
    let aheadMs = 0;
    jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const { sweeper, grace, holds } = sweeperOver(
      () => found.shift() ?? [],
      () => aheadMs,
    );
    await sweeper.sweep();
    aheadMs += jumpMs;
    expect(await sweeper.sweep()).toBe(freed);
    expect(holds.expire).toHaveBeenCalledTimes(freed);
    expect(grace.restart).toHaveBeenCalledTimes(1 - freed);
  });

  it('expires what is not renewed though the clock was set, and what lapsed before it looked for the first time', async () => {
    const found: object[][] = [[HOLD], [HOLD], [HOLD]];
    let aheadMs = 86_400_000;
    jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const { sweeper, grace, endGrace } = sweeperOver(
      () => found.shift() ?? [],
      () => aheadMs,
    );
    expect(await sweeper.sweep()).toBe(1);
    aheadMs *= 2;
    expect(await sweeper.sweep()).toBe(0);
    endGrace();
    expect(await sweeper.sweep()).toBe(1);
    expect(grace.restart).toHaveBeenCalledTimes(1);
  });

  it('notices that the clock was set while it was not to expire anything yet', async () => {
    let aheadMs = 0;
    jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
    const { sweeper, grace } = sweeperOver(
      () => [HOLD],
      () => aheadMs,
    );
    grace.isOver.mockResolvedValue(false);
    await sweeper.sweep();
    aheadMs += 3_600_000;
    await sweeper.sweep();
    expect(grace.restart).toHaveBeenCalledTimes(1);
    await sweeper.sweep();
    expect(grace.restart).toHaveBeenCalledTimes(1);
  });

  it('takes a search that took long for no jump of the clock once the next is quick', async () => {
    let nowMs = 1_000_000;
    let takesMs = LEASE_MS;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const { sweeper, grace, holds, endGrace } = sweeperOver(
      () => {
        nowMs += takesMs;
        return [HOLD];
      },
      // The clock is read when the search begins.
      () => -takesMs,
    );
    expect(await sweeper.sweep()).toBe(0);
    endGrace();
    takesMs = 5;
    expect(await sweeper.sweep()).toBe(1);
    expect(holds.expire).toHaveBeenCalledTimes(1);
    expect(grace.restart).toHaveBeenCalledTimes(1);
  });
});
