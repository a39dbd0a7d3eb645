import { BillingConfig } from '../billing.config';
import { Rests } from '../database/rests';
import { SettlementService } from './settlement.service';
import type { SettlementStatus } from './settlement-status';
import { SettlementSteps } from './settlement-steps';

describe('SettlementService', () => {
  it('says once that it is off, without its key, and looks at nothing', async () => {
    const set = jest.fn();
    const nothing = {} as never;
    const steps = new SettlementSteps(nothing, nothing, nothing, nothing);
    const status = { set } as unknown as SettlementStatus;
    const config = Object.assign(new BillingConfig(), { chainPollMs: 0 });
    const service = new SettlementService(config, undefined, steps, status, new Rests());
    service.onApplicationBootstrap();
    await service.onModuleDestroy();
    expect(set.mock.calls).toEqual([[{ state: 'off', detail: 'SETTLER_KEY is not set' }]]);
  });
});
