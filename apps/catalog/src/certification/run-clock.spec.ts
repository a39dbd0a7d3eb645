import { RunClock } from './run-clock';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('RunClock', () => {
  it('is over when it has gone for so long, pauses and what was before counted as they are', () => {
    const clock = new RunClock(1_000, 300);
    jest.advanceTimersByTime(400);
    clock.stop();
    jest.advanceTimersByTime(60_000);
    expect([clock.elapsedMs, clock.signal.aborted]).toEqual([700, false]);
    clock.go();
    jest.advanceTimersByTime(299);
    expect(clock.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect([clock.elapsedMs, clock.signal.aborted]).toEqual([1_000, true]);
    clock.stop();
  });

  it('is over at once where nothing is left', () => {
    expect(new RunClock(1_000, 1_000).signal.aborted).toBe(true);
  });
});
