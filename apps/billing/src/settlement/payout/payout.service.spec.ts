import type { Gauge, Logger } from '@svc/observability';
import { BillingConfig } from '../../billing.config';
import { Rests } from '../../database/rests';
import { SignerCondition } from '../signer-condition';
import { PayoutService } from './payout.service';
import type { PayoutStatus } from './payout-status';
import type { PayoutSteps } from './payout-steps';

function setUp(take: (rests: Rests) => Promise<void>) {
  const warn = jest.fn();
  const rests = new Rests();
  const steps = { take: () => take(rests) } as unknown as PayoutSteps;
  const logger = { warn, info: jest.fn() } as unknown as Logger;
  const gauge = { reset: jest.fn(), set: jest.fn() } as unknown as Gauge<'state'>;
  const status = { signer: new SignerCondition('payouts', logger, gauge) } as PayoutStatus;
  const service = new PayoutService(new BillingConfig(), undefined, steps, status, rests);
  return { service, warn };
}

describe('PayoutService', () => {
  it('tells of what went wrong, once', async () => {
    const { service, warn } = setUp(() => Promise.reject(new Error('gone')));
    await service.tick();
    await service.tick();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('does not tell of a step that the end of the process cuts short: the chain and the database are there', async () => {
    const { service, warn } = setUp(async (rests) => {
      await rests.after(performance.now() - 1_000);
      rests.throwIfLeaving();
    });
    const ticking = service.tick();
    await service.onModuleDestroy();
    await ticking;
    expect(warn).not.toHaveBeenCalled();
  });
});
