import { PeriodicJob } from './periodic-job';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A job whose runs end when told. */
function jobOf(options: { atOnce?: boolean } = {}) {
  const ends: ((error?: Error) => void)[] = [];
  const errors: unknown[] = [];
  const job = new PeriodicJob({
    ...options,
    intervalMs: 100,
    work: () =>
      new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
    onError: (error) => errors.push(error),
  });
  return { job, ends, errors };
}

describe('PeriodicJob', () => {
  it('runs an interval after its start and after each end, never twice at once', async () => {
    const { job, ends } = jobOf();
    job.start();
    await jest.advanceTimersByTimeAsync(99);
    expect(ends).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await jest.advanceTimersByTimeAsync(100);
    expect(ends).toHaveLength(2);
  });

  it('runs at once if told, and goes on after a failure', async () => {
    const { job, ends, errors } = jobOf({ atOnce: true });
    job.start();
    await jest.advanceTimersByTimeAsync(0);
    ends[0]?.(new Error('no'));
    await jest.advanceTimersByTimeAsync(100);
    expect(ends).toHaveLength(2);
    expect(errors).toEqual([new Error('no')]);
  });

  it('stops: waits for the run under way and begins no other', async () => {
    const { job, ends } = jobOf({ atOnce: true });
    job.start();
    await jest.advanceTimersByTimeAsync(0);
    let isOver = false;
    const stopping = job.stop().then(() => (isOver = true));
    await jest.advanceTimersByTimeAsync(1_000);
    expect([isOver, job.stopped]).toEqual([false, true]);
    ends[0]?.();
    await stopping;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(ends).toHaveLength(1);
  });
});
