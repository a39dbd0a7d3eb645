import { withinOneDay } from './within-one-day';

describe('withinOneDay', () => {
  beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-11-21T23:59:59.990Z') }));
  afterEach(() => jest.useRealTimers());

  const failure = new Error('not what was expected');
  /** Steps that take so long, and fail so often. */
  const stepsOf = (tookMs: number, failures: number) => {
    let left = failures;
    return jest.fn(() => {
      jest.setSystemTime(Date.now() + tookMs);
      return left-- > 0 ? Promise.reject(failure) : Promise.resolve();
    });
  };

  it('takes them once more after midnight', async () => {
    const steps = stepsOf(20, 1);
    await withinOneDay(steps);
    expect(steps).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['what fails within a day', 5, 1, 1],
    ['what fails the second time', 20, 2, 2],
  ])('throws %s', async (_, tookMs, failures, times) => {
    const steps = stepsOf(tookMs, failures);
    await expect(withinOneDay(steps)).rejects.toBe(failure);
    expect(steps).toHaveBeenCalledTimes(times);
  });

  it('takes what succeeds once, whatever the time', async () => {
    const steps = stepsOf(20, 0);
    await withinOneDay(steps);
    expect(steps).toHaveBeenCalledTimes(1);
  });
});
