import { DispatchConfig } from '../dispatch.config';
import type { SoleRun } from '../live-run/run';
import { RunRegistry } from './run-registry.service';
import { RunSweeps } from './run-sweeps.service';

const SWEEP_MS = 250;

describe('RunSweeps', () => {
  let nowMs: number;
  let registry: RunRegistry;
  let sweeps: RunSweeps;
  const abandonDelivery = jest.fn();

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    nowMs = 0;
    registry = new RunRegistry();
    const config = Object.assign(new DispatchConfig(), { deliveryNoticeMs: 5_000 });
    const runs = { stopAll: () => undefined };
    const rpc = { call: () => Promise.resolve() };
    sweeps = new RunSweeps(registry, runs as never, { abandonDelivery } as never, rpc as never, config);
    sweeps.onApplicationBootstrap();
  });
  afterEach(() => {
    sweeps.onApplicationShutdown();
    jest.useRealTimers();
    jest.restoreAllMocks();
    abandonDelivery.mockReset();
  });

  function pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += SWEEP_MS) {
      nowMs += SWEEP_MS;
      jest.advanceTimersByTime(SWEEP_MS);
    }
  }

  function standStill(ms: number): void {
    nowMs += ms;
    jest.advanceTimersByTime(SWEEP_MS);
  }

  const run = { id: 'req_1', request: {} } as SoleRun;

  it('takes back a charge whose reply nobody has confirmed in time', () => {
    registry.awaitDelivery(run);
    pass(5_000);
    expect(abandonDelivery).not.toHaveBeenCalled();
    pass(SWEEP_MS);
    expect(abandonDelivery).toHaveBeenCalledWith(run, 'undelivered');
  });

  it('has gateways hear of a run for as long as it takes, well within what they wait for a word', () => {
    const keepHeard = jest.fn();
    const output = { silent: false, keepHeard };
    registry.add({ ...run, startedMs: 0, request: { hold: {} }, output } as unknown as SoleRun);
    pass(330_000);
    expect(keepHeard).toHaveBeenCalledTimes(5);
  });

  it('first reads what was confirmed while this process stood still', () => {
    registry.awaitDelivery(run);
    standStill(60_000);
    pass(4_000);
    registry.forgetDelivery(run.id);
    pass(10_000);
    expect(abandonDelivery).not.toHaveBeenCalled();

    registry.awaitDelivery(run);
    standStill(60_000);
    pass(5_500);
    expect(abandonDelivery).toHaveBeenCalledTimes(1);
  });
});
