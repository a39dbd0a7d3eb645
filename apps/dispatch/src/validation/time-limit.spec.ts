import { TimeLimitError, withTimeLimit } from './time-limit';

/** Stands still, without working: for far longer than any limit here. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}

function failureOf(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TimeLimitError);
    return error;
  }
  return undefined;
}

/** What the thread is said to have worked, milliseconds: busy neighbours, and this process's other threads, change nothing then. */
function hasWorked(workedMs: () => number): void {
  const usage = (before?: NodeJS.CpuUsage) => ({
    user: workedMs() * 1_000 - (before?.user ?? 0),
    system: 0,
  });
  const clocks = process as unknown as Record<string, typeof usage>;
  jest.spyOn(clocks, 'threadCpuUsage' in process ? 'threadCpuUsage' : 'cpuUsage').mockImplementation(usage);
}

describe('withTimeLimit', () => {
  afterEach(() => jest.restoreAllMocks());

  it('answers what the work does, and throws what it throws', () => {
    expect(withTimeLimit(1_000, () => 7)).toBe(7);
    expect(() =>
      withTimeLimit(1_000, () => {
        throw new RangeError('no');
      }),
    ).toThrow(RangeError);
  });

  it('stops work that takes too long', () => {
    hasWorked(() => performance.now());
    const work = () => {
      for (;;);
    };
    expect(failureOf(() => withTimeLimit(200, work))).toMatchObject({ stoodStill: false });
  });

  it('holds nothing against the work for which this process stood still, but not for ever', () => {
    hasWorked(() => 0);
    let runs = 0;
    const work = () => {
      if (++runs === 1) standStill();
      return 'done';
    };
    expect(withTimeLimit(200, work)).toBe('done');
    expect(runs).toBe(2);
    runs = 0;
    const never = () => {
      runs++;
      standStill();
    };
    expect(failureOf(() => withTimeLimit(200, never))).toMatchObject({ stoodStill: true });
    expect(runs).toBe(2);
  });
});
