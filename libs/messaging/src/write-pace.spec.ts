import { WritePace } from './write-pace';

describe('WritePace', () => {
  it('lets a burst go at once, then one write a millisecond', () => {
    let nowMs = 1_000;
    const pace = new WritePace(() => nowMs);
    for (let write = 0; write < 16; write++) {
      expect(pace.waitMs).toBe(0);
      pace.spend();
    }
    expect(pace.waitMs).toBe(1);
    nowMs += 1;
    expect(pace.waitMs).toBe(0);
    pace.spend();
    expect(pace.waitMs).toBe(1);
  });

  it('makes nobody wait who writes less often', () => {
    let nowMs = 0;
    const pace = new WritePace(() => nowMs);
    for (let write = 0; write < 1_000; write++) {
      expect(pace.waitMs).toBe(0);
      pace.spend();
      nowMs += 1.25;
    }
  });
});
