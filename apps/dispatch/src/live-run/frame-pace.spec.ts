import { FrameClock } from './frame-clock';
import { FramePace } from './frame-pace';

describe('FramePace', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** A reply that always has more to say, beside as many runs: the times between its frames. */
  function gapsWith(runs: number): number[] {
    const times: number[] = [];
    const flush = () => {
      times.push(performance.now());
      pace.sent(performance.now());
      pace.stop();
    };
    const pace: FramePace = new FramePace(new FrameClock(() => runs), flush);
    for (let ms = 0; ms < 1_000; ms++) {
      pace.flushSoon(1);
      jest.advanceTimersByTime(1);
    }
    return times.slice(1).map((time, index) => time - (times[index] ?? 0));
  }

  it.each([
    [1, 20, 22],
    [250, 20, 22],
    [500, 40, 44],
    [1_000, 80, 88],
    [100_000, 80, 88],
  ])('beside %d runs text waits for %d ms and falls due by %d', (runs, least, most) => {
    const gaps = gapsWith(runs);
    expect(gaps.length).toBeGreaterThanOrEqual(10);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(least - 1);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(most + 1);
  });

  it('lets frames of different runs fall due together', () => {
    const clock = new FrameClock(() => 1_000);
    const times = new Set<number>();
    const paces = Array.from({ length: 100 }, () => {
      const pace = new FramePace(clock, () => times.add(Math.round(performance.now())));
      pace.sent(performance.now());
      jest.advanceTimersByTime(0.5);
      return pace;
    });
    for (const pace of paces) pace.flushSoon(1);
    jest.advanceTimersByTime(200);
    // They were sent over 50 ms.
    expect(times.size).toBeLessThanOrEqual(8);
  });

  it('leaves out what is sent before it falls due', () => {
    const clock = new FrameClock(() => 1);
    const flushes = [jest.fn(), jest.fn()];
    const paces = flushes.map((flush) => new FramePace(clock, flush));
    for (const pace of paces) pace.sent(performance.now());
    for (const pace of paces) pace.flushSoon(1);
    paces[0]?.stop();
    jest.advanceTimersByTime(100);
    expect(flushes.map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });

  it('sends at once what is first, what comes after a silence, and what is much', () => {
    const flush = jest.fn();
    const pace = new FramePace(new FrameClock(() => 1), flush);
    pace.flushSoon(1);
    expect(flush).toHaveBeenCalledTimes(1);
    pace.sent(performance.now());
    pace.flushSoon(16 * 1024);
    expect(flush).toHaveBeenCalledTimes(2);
    pace.sent(performance.now());
    jest.advanceTimersByTime(20);
    pace.flushSoon(1);
    expect(flush).toHaveBeenCalledTimes(3);
    pace.sent(performance.now());
    pace.restart();
    pace.flushSoon(1);
    expect(flush).toHaveBeenCalledTimes(4);
  });

  it('lets nobody rest beside few replies', () => {
    const [flush, readOn] = [jest.fn(), jest.fn()];
    expect(new FramePace(new FrameClock(() => 250), flush).rest(readOn)).toBe(false);
    jest.advanceTimersByTime(1_000);
    expect([flush.mock.calls.length, readOn.mock.calls.length]).toEqual([0, 0]);
  });

  it.each([
    [300, 24, 26.4],
    [1_000, 80, 88],
  ])('beside %d has text go at once, and who rests read on %d to %d ms later', (runs, least, most) => {
    const flush = jest.fn();
    let restedMs = NaN;
    const pace = new FramePace(new FrameClock(() => runs), flush);
    pace.sent(performance.now());
    const sinceMs = performance.now();
    expect(pace.rest(() => (restedMs = performance.now() - sinceMs))).toBe(true);
    expect(flush).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(200);
    expect(restedMs).toBeGreaterThanOrEqual(least - 1);
    expect(restedMs).toBeLessThanOrEqual(most + 1);
  });
});
