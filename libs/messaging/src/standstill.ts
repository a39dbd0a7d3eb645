/**
 * Whether this process stood still. What others said meanwhile has come and is not read yet: timers run before it, so that a sweep
 * which goes by silence would find everybody silent.
 */
export class Standstill {
  private lastLookMs = 0;

  /** @param mostMs that may pass between two looks; much more than the sweep's interval */
  constructor(private readonly mostMs: number) {}

  /**
   * To be called at the start and at each sweep.
   * @param nowMs of a clock that only rises
   * @returns whether too much time has passed since the last look
   */
  look(nowMs: number): boolean {
    const stoodStill = nowMs - this.lastLookMs > this.mostMs;
    this.lastLookMs = nowMs;
    return stoodStill;
  }
}
