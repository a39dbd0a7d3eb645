import { END_DOUBTFUL_MS } from '../live-run/run-output';
import type { AnyRun, SharedRun, SoleRun } from '../live-run/run';
import { RunRegistry } from './run-registry.service';

describe('RunRegistry', () => {
  let registry: RunRegistry;

  beforeEach(() => {
    jest.useFakeTimers();
    registry = new RunRegistry();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const runOf = (id: string, { idempotent = false, silent = true } = {}) =>
    ({ id, startedMs: performance.now(), request: { idempotent }, output: { silent } }) as unknown as SoleRun;
  const idsOf = (runs: Iterable<AnyRun>) => [...runs].map(({ id }) => id);

  /** A run that was begun, and is over. */
  function over(id: string, end: (run: SoleRun) => void = () => undefined): SoleRun {
    const run = runOf(id);
    registry.add(run);
    end(run);
    registry.remove(run);
    return run;
  }

  it('knows a run from its start until its success has arrived, and begins none twice meanwhile', () => {
    const run = runOf('a');
    expect([registry.add(run), registry.add(runOf('a'))]).toEqual([true, false]);
    expect([registry.find('a'), registry.findUndelivered('a')]).toEqual([run, undefined]);
    registry.awaitDelivery(run);
    registry.remove(run);
    expect(registry.add(runOf('a'))).toBe(false);
    expect([registry.find('a'), registry.findUndelivered('a')]).toEqual([undefined, run]);
    registry.forgetDelivery('a');
    expect(registry.findUndelivered('a')).toBeUndefined();
    expect(registry.add(runOf('a'))).toBe(true);
  });

  it('is idle when nothing is under way and nothing waits to arrive, and says so to whoever asks, whenever', async () => {
    const run = runOf('a');
    registry.add(run);
    const idle = jest.fn();
    const settled = () => jest.advanceTimersByTimeAsync(0);
    void registry.whenIdle().then(idle);
    registry.awaitDelivery(run);
    registry.remove(run);
    await settled();
    registry.forgetDelivery('another');
    await settled();
    expect(idle).not.toHaveBeenCalled();
    registry.forgetDelivery('a');
    await settled();
    expect(idle).toHaveBeenCalledTimes(1);
    await expect(registry.whenIdle()).resolves.toBeUndefined();
    over('b');
    expect(idle).toHaveBeenCalledTimes(1);
  });

  it('gives out once each those that have been under way for a while without a word', () => {
    registry.add(runOf('quiet'));
    registry.add(runOf('heard', { silent: false }));
    over('gone');
    jest.advanceTimersByTime(100);
    registry.add(runOf('young'));
    expect(idsOf(registry.takeSilent(100))).toEqual(['quiet']);
    expect(registry.takeSilent(100)).toEqual([]);
    jest.advanceTimersByTime(100);
    expect(idsOf(registry.takeSilent(100))).toEqual(['young']);
  });

  it('takes successes back of one client alone, never of an idempotent run, which stand whoever gets them', () => {
    over('old', (run) => registry.awaitDelivery(run));
    registry.awaitReaders('shared');
    jest.advanceTimersByTime(5_000);
    over('new', (run) => registry.awaitDelivery(run));
    expect(idsOf(registry.takeUndelivered((_run, ageMs) => ageMs >= 5_000))).toEqual(['old']);
    expect(idsOf(registry.takeUndelivered(() => true))).toEqual(['new']);
    expect([registry.takeUndelivered(() => true), registry.undeliveredCount]).toEqual([[], 1]);
  });

  it('tells of idempotent runs that are over, whatever became of them', () => {
    const told: SharedRun[] = [];
    registry.onSharedOver((run) => told.push(run));
    const shared = runOf('shared', { idempotent: true });
    registry.add(shared);
    expect(told).toEqual([]);
    registry.remove(shared);
    over('sole');
    expect(told).toEqual([shared]);
    // Whoever follows one is told by others.
    expect(registry.unconfirmedFailures).toHaveLength(1);
  });

  it('remembers whom a failure was sent that may be lost, for as long as it may, and nobody who was sent a success', () => {
    const [first, second] = [over('first'), over('second')];
    over('served', (run) => registry.awaitDelivery(run));
    jest.advanceTimersByTime(END_DOUBTFUL_MS - 1);
    const third = over('third');
    expect(registry.unconfirmedFailures).toEqual([first.output, second.output, third.output]);
    jest.advanceTimersByTime(1);
    const fourth = over('fourth');
    expect(registry.unconfirmedFailures).toEqual([third.output, fourth.output]);
  });
});
