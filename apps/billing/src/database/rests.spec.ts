import { restAfter, Rests } from './rests';

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

describe('restAfter', () => {
  it('is three times as long as the piece took, and a second at most', () => {
    const startedMs = performance.now();
    jest.advanceTimersByTime(7);
    expect(restAfter(startedMs)).toBeCloseTo(21);
    jest.advanceTimersByTime(1_000);
    expect(restAfter(startedMs)).toBe(1_000);
  });
});

describe('Rests', () => {
  it('are over when the process ends, and there are no more', async () => {
    const rests = new Rests();
    const startedMs = performance.now();
    jest.advanceTimersByTime(100);
    const resting = rests.after(startedMs);
    rests.leave();
    await resting;
    await rests.after(startedMs);
    expect(performance.now()).toBe(startedMs + 100);
  });
});
