/** How many writes may follow each other at once, after a time with fewer. */
const BURST = 16;
/** How far apart writes are beyond those. */
const INTERVAL_MS = 1;

/**
 * How soon the next write may be made. A write, and the readers that it wakes, cost more than the messages in it: under load they are
 * gathered for a millisecond, while a process that has little to say says it at once.
 */
export class WritePace {
  /** When all of the burst will have been earned again. */
  private restedMs = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** How long the next write has to wait, milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.restedMs - (BURST - 1) * INTERVAL_MS - this.nowMs());
  }

  /** A write is made. */
  spend(): void {
    this.restedMs = Math.max(this.restedMs, this.nowMs()) + INTERVAL_MS;
  }
}
