/**
 * Tells by how much the database's clock went further than time did: it was set forward, or a suspended machine goes on. Time is that of this
 * process (`performance.now()`), which nobody sets.
 */
export class ClockJumps {
  /** @param aheadMs how far the database's clock was ahead of that at the most, when it was last seen; undefined where it never was */
  constructor(private aheadMs?: number) {}

  /**
   * @param at what the database's clock showed
   * @param askedMs by `performance.now()`: before it was read, which may have taken any time since
   * @returns what it went further since it was last seen, at the least, ms; below 0 where it was set back
   */
  since(at: Date, askedMs: number): number {
    const leastAheadMs = at.getTime() - performance.now();
    const jumpMs = leastAheadMs - (this.aheadMs ?? leastAheadMs);
    this.aheadMs = at.getTime() - askedMs;
    return jumpMs;
  }
}
