/** How long a run, or a probe of it, may take. Whoever waits for us stops it meanwhile. */
export class RunClock {
  private readonly over = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private goesSinceMs: number | undefined;

  /**
   * Goes at once.
   * @param workedMs how long it has gone before
   */
  constructor(
    readonly limitMs: number,
    private workedMs = 0,
  ) {
    this.go();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** How long it has gone, ms. */
  get elapsedMs(): number {
    const sinceMs = this.goesSinceMs;
    return Math.round(this.workedMs + (sinceMs === undefined ? 0 : performance.now() - sinceMs));
  }

  go(): void {
    if (this.goesSinceMs !== undefined) return;
    this.goesSinceMs = performance.now();
    const leftMs = this.limitMs - this.workedMs;
    if (leftMs <= 0) this.over.abort();
    else this.timer = setTimeout(() => this.over.abort(), leftMs);
  }

  stop(): void {
    this.workedMs = this.elapsedMs;
    this.goesSinceMs = undefined;
    clearTimeout(this.timer);
  }
}
