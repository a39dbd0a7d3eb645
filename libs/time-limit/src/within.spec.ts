import { valueWithin, within } from './within';

const TIME_MS = 1_000;

/** What is done, or fails, after that. */
function workOf(takesMs: number, failure?: Error): Promise<string> {
  return new Promise((resolve, reject) => {
    setTimeout(() => (failure ? reject(failure) : resolve('done')), takesMs);
  });
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('what is waited for so long and no longer', () => {
  it('is there when it comes in time, and leaves no timer behind', async () => {
    const waiting = [
      within(TIME_MS, workOf(TIME_MS - 1)),
      valueWithin(TIME_MS, workOf(TIME_MS - 1), 'otherwise'),
    ];
    await jest.advanceTimersByTimeAsync(TIME_MS - 1);
    expect(jest.getTimerCount()).toBe(0);
    expect(await Promise.all(waiting)).toEqual([true, 'done']);
  });

  it('is given up when the time is over', async () => {
    const waiting = [
      within(TIME_MS, new Promise(() => undefined)),
      valueWithin(TIME_MS, new Promise<string>(() => undefined), 'otherwise'),
    ];
    await jest.advanceTimersByTimeAsync(TIME_MS);
    expect(await Promise.all(waiting)).toEqual([false, 'otherwise']);
  });

  it('is there at once when it is no promise', async () => {
    expect(await valueWithin(TIME_MS, 'at once', 'otherwise')).toBe('at once');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('fails as it failed in time, and leaves no timer behind', async () => {
    const failure = new Error('broken');
    const waiting = Promise.allSettled([
      within(TIME_MS, workOf(1, failure)),
      valueWithin(TIME_MS, workOf(1, failure), 'otherwise'),
    ]);
    await jest.advanceTimersByTimeAsync(1);
    expect(jest.getTimerCount()).toBe(0);
    const failed = { status: 'rejected', reason: failure };
    expect(await waiting).toEqual([failed, failed]);
  });

  it('may fail afterwards without anybody being told', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const late = workOf(2 * TIME_MS, new Error('too late'));
    const waiting = [within(TIME_MS, late), valueWithin(TIME_MS, late, 'otherwise')];
    await jest.advanceTimersByTimeAsync(TIME_MS);
    expect(await Promise.all(waiting)).toEqual([false, 'otherwise']);
    await jest.advanceTimersByTimeAsync(TIME_MS);
    jest.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
