import { createLogger } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import type { SettlementService } from '../hold/settlement.service';
import type { ExpiryGrace } from './expiry-grace.service';
import type { LapsedHoldStore } from './lapsed-hold.store';
import { LeaseSweeper } from './lease-sweeper.service';

const LEASE_MS = 60_000;
const HOLD = { wallet: `0x${'a'.repeat(40)}`, holdId: 'req_1' };

/** A sweeper whose search for lapsed holds takes so long. */
function sweeperThatTakes(searchMs: number) {
  const clock = jest.spyOn(performance, 'now');
  let nowMs = 1_000_000;
  clock.mockImplementation(() => nowMs);
  const grace = { isOver: jest.fn(() => Promise.resolve(true)), restart: jest.fn() };
  const found = [[HOLD], []];
  const store = {
    lapsed: () => {
      nowMs += searchMs;
      return Promise.resolve(found.shift() ?? []);
    },
  };
  const settlement = { expire: jest.fn(() => Promise.resolve(true)) };
  const config = Object.assign(new BillingConfig(), { holdLeaseMs: LEASE_MS });
  const sweeper = new LeaseSweeper(
    config,
    createLogger('test', 'silent'),
    store as unknown as LapsedHoldStore,
    settlement as unknown as SettlementService,
    grace as unknown as ExpiryGrace,
  );
  return { sweeper, grace, settlement };
}

describe('LeaseSweeper', () => {
  afterEach(() => jest.restoreAllMocks());

  it('expires what has lapsed', async () => {
    const { sweeper, grace, settlement } = sweeperThatTakes(5);
    expect(await sweeper.sweep()).toBe(1);
    expect(settlement.expire).toHaveBeenCalledWith(HOLD);
    expect(grace.restart).not.toHaveBeenCalled();
  });

  it('expires nothing of what it found after it stood still in the middle of a sweep: renewals may wait unheard', async () => {
    const { sweeper, grace, settlement } = sweeperThatTakes(LEASE_MS);
    expect(await sweeper.sweep()).toBe(0);
    expect(settlement.expire).not.toHaveBeenCalled();
    expect(grace.restart).toHaveBeenCalledTimes(1);
  });
});
