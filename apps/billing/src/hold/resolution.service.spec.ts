import { createLogger, createMetricsRegistry } from '@svc/observability';
import type { SettleHoldRequest } from '@svc/contracts';
import { BillingConfig } from '../billing.config';
import { usageOf } from '../ledger/ledger.for-spec';
import { LedgerMetrics } from '../ledger/ledger.metrics';
import type { LedgerService } from '../ledger/ledger.service';
import type { ResolutionResult } from '../ledger/operation';
import { ResolutionService } from './resolution.service';

const wallet = `0x${'a'.repeat(40)}`;
const released: SettleHoldRequest = { holdId: 'req_1', wallet, outcome: 'void' };
const posted: SettleHoldRequest = {
  ...released,
  outcome: 'post',
  usage: usageOf(7),
};

/** Resolutions that all come to this. */
function setUp(state: ResolutionResult['state']) {
  const registry = createMetricsRegistry('test');
  const logger = createLogger('test', 'silent');
  const resolve = jest.fn((_resolution: object, _deadlineMs?: number) =>
    Promise.resolve({ state, charged: 0n }),
  );
  const service = new ResolutionService(
    new BillingConfig(),
    logger,
    { resolve } as unknown as LedgerService,
    new LedgerMetrics(registry),
  );
  const counted = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('svc_billing_settlements_total') && line.endsWith(' 1'));
  return { service, resolve, counted, warned: jest.spyOn(logger, 'warn') };
}

describe('ResolutionService', () => {
  it('resolves nothing for a post that does not say what was served', async () => {
    const { service, resolve } = setUp('posted');
    const bare: SettleHoldRequest = { ...released, outcome: 'post' };
    await expect(service.settle(bare, 'call')).rejects.toMatchObject({ payload: { param: 'usage' } });
    expect(resolve).not.toHaveBeenCalled();
  });

  it('hands on until when its caller waits', async () => {
    const { service, resolve } = setUp('posted');
    await service.settle(posted, 'call', 1_234);
    expect(resolve.mock.calls.map(([, deadlineMs]) => deadlineMs)).toEqual([1_234]);
  });

  it('refuses a post of more than was held, and what leaves a hold open', async () => {
    await expect(setUp('above_hold').service.settle(posted, 'call')).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'usage' },
    });
    await expect(setUp('open').service.settle(released, 'call')).rejects.toMatchObject({
      payload: { code: 'internal_error' },
    });
  });

  it('warns of a post for which the platform pays, and of no other', async () => {
    const late = setUp('late');
    expect(await late.service.settle(posted, 'queue')).toEqual({ state: 'late', charged: '0' });
    expect(late.warned).toHaveBeenCalledTimes(1);
    expect(await late.counted()).toEqual([expect.stringMatching(/outcome="late".*source="queue"/)]);
    const inTime = setUp('posted');
    await inTime.service.settle(posted, 'queue');
    expect(inTime.warned).not.toHaveBeenCalled();
  });

  it.each([
    ['expired', true],
    ['open', false],
    ['posted', false],
  ] as const)('says of a hold that is %s whether its lease has freed it: %s', async (state, expected) => {
    expect(await setUp(state).service.expire({ wallet, holdId: 'req_1' })).toBe(expected);
  });
});
