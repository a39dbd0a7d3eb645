import { eventually } from '@svc/testing';
import type { CertificationRunStore } from './certification-run.store';
import { CertificationRunner } from './certification-runner.service';
import type { CertificationMetrics } from './certification.metrics';
import type { CertificationSettings } from './certification.settings';

describe('CertificationRunner', () => {
  it('tries to take a run up only where one is open', async () => {
    let open = 0;
    const countOpen = jest.fn(() => Promise.resolve(open));
    const claim = jest.fn(() => Promise.resolve(undefined));
    const set = jest.fn();
    const runner = new CertificationRunner(
      { countOpen, claim } as unknown as CertificationRunStore,
      {} as never,
      { open: { set } } as unknown as CertificationMetrics,
      { pollMs: 1, concurrency: 2 } as CertificationSettings,
      {} as never,
    );
    runner.onApplicationBootstrap();
    await eventually(() => countOpen.mock.calls.length > 2);
    expect(claim).not.toHaveBeenCalled();
    open = 1;
    await eventually(() => claim.mock.calls.length > 0);
    expect(set).toHaveBeenLastCalledWith(1);
    await runner.beforeApplicationShutdown();
  });
});
