import { HoldTime } from './hold-time';

/** Requests that come one after another, and hold a place for so long each. */
function follow(times: readonly number[]): { time: HoldTime; nowMs: number } {
  const time = new HoldTime();
  let nowMs = 1_000;
  for (const ms of times) {
    time.note(0, nowMs);
    nowMs += ms;
    time.note(1, nowMs);
    time.end();
  }
  return { time, nowMs };
}

describe('HoldTime', () => {
  it('is not known while no request has ended', () => {
    const time = new HoldTime();
    time.note(0, 1_000);
    expect(time.averageMs(1, 2_000)).toBeUndefined();
  });

  it('is what requests held a place for on average, not the time between them', () => {
    const { time, nowMs } = follow([100, 300]);
    expect(time.averageMs(0, nowMs + 5_000)).toBe(200);
  });

  it('counts each of those that hold one at a time', () => {
    const time = new HoldTime();
    time.note(0, 1_000);
    time.note(3, 1_400);
    for (let request = 0; request < 3; request++) time.end();
    expect(time.averageMs(0, 1_400)).toBe(400);
  });

  it('stays the same however many have ended, and follows those that ended lately', () => {
    const steady = follow(Array<number>(500).fill(100));
    expect(steady.time.averageMs(0, steady.nowMs)).toBeCloseTo(100);
    const slower = follow([...Array<number>(500).fill(100), ...Array<number>(200).fill(1_000)]);
    expect(slower.time.averageMs(0, slower.nowMs)).toBeGreaterThan(950);
  });
});
