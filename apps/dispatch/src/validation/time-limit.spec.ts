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

describe('withTimeLimit', () => {
  it('answers what the work does, and throws what it throws', () => {
    expect(withTimeLimit(1_000, () => 7)).toBe(7);
    expect(() =>
      withTimeLimit(1_000, () => {
        throw new RangeError('no');
      }),
    ).toThrow(RangeError);
  });

  it('stops work that takes too long', () => {
    const work = () => {
      for (;;);
    };
    expect(failureOf(() => withTimeLimit(200, work))).toMatchObject({ stoodStill: false });
  });

  it('holds nothing against the work for which this process stood still, but not for ever', () => {
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
    expect(runs).toBe(3);
  });
});
