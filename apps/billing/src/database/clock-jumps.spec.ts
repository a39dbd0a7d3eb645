import { ClockJumps } from './clock-jumps';

const EPOCH_MS = Date.UTC(2026, 10, 28);

describe('ClockJumps', () => {
  let nowMs = 1_000_000;
  let aheadMs = EPOCH_MS;

  beforeEach(() => jest.spyOn(performance, 'now').mockImplementation(() => nowMs));
  afterEach(() => jest.restoreAllMocks());

  /** The clock is read at the end of a question that takes so long, or at its beginning. */
  function look(jumps: ClockJumps, tookMs = 0, readsLast = true): number {
    const askedMs = nowMs;
    nowMs += tookMs;
    return jumps.since(new Date(aheadMs + (readsLast ? nowMs : askedMs)), askedMs);
  }

  it('tells by how much the clock was set, and nothing the first time', () => {
    const jumps = new ClockJumps();
    const found = [look(jumps)];
    nowMs += 60_000;
    found.push(look(jumps));
    aheadMs += 5_000;
    found.push(look(jumps), look(jumps));
    aheadMs -= 7_000;
    found.push(look(jumps));
    expect(found).toEqual([0, 0, 5_000, 0, -7_000]);
  });

  it('tells the first time where it was told what to expect', () => {
    expect(look(new ClockJumps(EPOCH_MS - 9_000))).toBe(aheadMs - EPOCH_MS + 9_000);
  });

  it('takes a question that took long for no jump forward, whenever the clock was read', () => {
    const jumps = new ClockJumps();
    for (const [tookMs, readsLast] of [
      [0, true],
      [9_000, true],
      [0, true],
      [9_000, false],
      [0, true],
    ] as const)
      expect(look(jumps, tookMs, readsLast)).toBeLessThanOrEqual(0);
  });
});
