import { MOST_RENEWED_HOLDS, RUN_SILENCE_MS } from '@svc/contracts';
import type { RenewHoldsRequest } from '@svc/contracts';
import { DispatchConfig } from '../dispatch.config';
import type { SoleRun } from '../live-run/run';
import { RunRegistry } from './run-registry.service';
import type { RunService } from './run.service';
import { RunSweeps } from './run-sweeps.service';

const SWEEP_MS = 250;

describe('RunSweeps', () => {
  let nowMs: number;
  let registry: RunRegistry;
  let sweeps: RunSweeps;
  const abandonDelivery = jest.fn();
  const renewed: string[][] = [];
  let answer: () => Promise<object>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    nowMs = 0;
    registry = new RunRegistry();
    const config = Object.assign(new DispatchConfig(), { deliveryNoticeMs: 5_000 });
    const runs: Pick<RunService, 'stopAll'> = {
      stopAll: (reason, concerns = () => true) => {
        for (const run of registry.liveRuns) if (concerns(run)) run.stop(reason);
      },
    };
    const rpc = {
      call: (_contract: object, { holds }: RenewHoldsRequest) => {
        renewed.push(holds.map(({ holdId }) => holdId));
        return answer();
      },
    };
    renewed.length = 0;
    answer = () => Promise.reject(new Error('billing is away'));
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

  /** A run under way whose gateway has made no room for so long. */
  function underWay(id: string, { blockedMs = 0, idempotent = false } = {}) {
    const [stop, keepHeard] = [jest.fn(), jest.fn()];
    const output = { silent: false, keepHeard, blockedMs: () => blockedMs };
    const request = { hold: { holdId: id, wallet: '0xa' }, idempotent };
    registry.add({ id, startedMs: nowMs, request, output, stop } as unknown as SoleRun);
    return { stop, keepHeard };
  }

  it('takes back a charge whose reply nobody has confirmed in time', () => {
    registry.awaitDelivery(run);
    pass(5_000);
    expect(abandonDelivery).not.toHaveBeenCalled();
    pass(SWEEP_MS);
    expect(abandonDelivery).toHaveBeenCalledWith(run, 'undelivered');
  });

  it('has gateways hear of a run for as long as it takes, well within what they wait for a word', () => {
    const { keepHeard } = underWay('req_1');
    pass(RUN_SILENCE_MS);
    expect(keepHeard).toHaveBeenCalledTimes(5);
  });

  it('renews the holds of all runs, again though billing did not answer, no more in a message than it takes', () => {
    for (let count = 0; count <= MOST_RENEWED_HOLDS; count++) underWay(`req_${count}`);
    pass(2_000);
    expect(renewed.map(({ length }) => length)).toEqual([0, MOST_RENEWED_HOLDS, 1, MOST_RENEWED_HOLDS, 1]);
    expect(new Set(renewed.slice(1, 3).flat()).size).toBe(MOST_RENEWED_HOLDS + 1);
  });

  it.each([
    ['6 s', { leaseMs: 6_000 }, 60],
    ['300 ms', { leaseMs: 300 }, 600],
    ['nothing', { leaseMs: 0 }, 600],
    ['a minute', { leaseMs: 60_000 }, 6],
    ['an hour', { leaseMs: 3_600_000 }, 6],
    ['what a billing of before does not say', {}, 6],
  ])('renews six times a lease, and every ten seconds at the least: %s', async (_, lease, times) => {
    answer = () => Promise.resolve({ renewed: 0, ...lease });
    pass(10_000);
    await Promise.resolve();
    renewed.length = 0;
    pass(60_000);
    expect(renewed).toHaveLength(times);
  });

  it('asks every second until it hears how long leases are, and knows it then', async () => {
    pass(3_000);
    expect(renewed).toHaveLength(4);
    answer = () => Promise.resolve({ renewed: 0, leaseMs: 3_000 });
    pass(1_000);
    await Promise.resolve();
    pass(1_000);
    expect(renewed).toHaveLength(7);
  });

  it('learns of another lease from the next answer, and renews no more once it stops', async () => {
    answer = () => Promise.resolve({ renewed: 0, leaseMs: 6_000 });
    pass(10_000);
    await Promise.resolve();
    answer = () => Promise.resolve({ renewed: 0, leaseMs: 60_000 });
    pass(1_000);
    await Promise.resolve();
    renewed.length = 0;
    pass(30_000);
    expect(renewed).toHaveLength(3);
    answer = () => Promise.resolve({ renewed: 0, leaseMs: 6_000 });
    pass(10_000);
    sweeps.onApplicationShutdown();
    await Promise.resolve();
    renewed.length = 0;
    pass(30_000);
    expect(renewed).toEqual([]);
  });

  it('stops what takes longer than any reply, or whose client has made no room for too long', () => {
    const { stop: stalled } = underWay('req_stalled', { blockedMs: 900_001 });
    const { stop: slow } = underWay('req_slow', { blockedMs: 900_000 });
    const { stop: shared } = underWay('req_shared', { blockedMs: 900_001, idempotent: true });
    pass(4_500_000);
    expect(stalled).toHaveBeenCalledWith('stalled');
    for (const stop of [slow, shared]) expect(stop).not.toHaveBeenCalled();
    pass(10_000);
    for (const stop of [slow, shared]) expect(stop.mock.calls).toEqual([['overlong']]);
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
