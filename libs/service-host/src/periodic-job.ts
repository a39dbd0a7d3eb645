interface PeriodicJobOptions {
  /** From the end of one run to the beginning of the next. */
  readonly intervalMs: number;
  /** Whether the first run is at once, instead of after an interval. */
  readonly atOnce?: boolean;
  /** @param lateMs how much later than planned it runs: what the process stood still, if it is much */
  readonly work: (lateMs: number) => Promise<unknown>;
  /** Told of a run that failed; the next one comes all the same. */
  readonly onError: (error: unknown) => void;
}

/** Does something again and again, one run after the other, until it is stopped. */
export class PeriodicJob {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly options: PeriodicJobOptions) {}

  /** For work in many pieces, which may end between two of them. */
  get stopped(): boolean {
    return this.isStopped;
  }

  start(): void {
    this.schedule(this.options.atOnce ? 0 : this.options.intervalMs);
  }

  /** Begins no more runs. Resolves when the one under way has ended; may be called again to wait for it later. */
  stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    return this.running;
  }

  private schedule(delayMs: number): void {
    if (this.isStopped) return;
    const dueMs = performance.now() + delayMs;
    this.timer = setTimeout(() => {
      this.running = this.run(performance.now() - dueMs);
    }, delayMs);
  }

  private async run(lateMs: number): Promise<void> {
    try {
      await this.options.work(lateMs);
    } catch (error) {
      this.options.onError(error);
    }
    this.schedule(this.options.intervalMs);
  }
}
