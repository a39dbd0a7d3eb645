import type { Logger } from '@svc/observability';
import { BillingConfig } from '../../billing.config';
import { Rests } from '../../database/rests';
import { PayoutService } from './payout.service';
import type { PayoutSteps } from './payout-steps';

function setUp(take: (rests: Rests) => Promise<void>) {
  const warn = jest.fn();
  const rests = new Rests();
  const steps = { take: () => take(rests) } as unknown as PayoutSteps;
  const service = new PayoutService(
    new BillingConfig(),
    { warn } as unknown as Logger,
    undefined,
    steps,
    rests,
  );
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
