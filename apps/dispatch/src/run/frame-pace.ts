/** How long text may wait for more to go with it. A frame a chunk would be most of what a stream costs. */
const COALESCE_MS = 20;
/** With many runs under way it waits longer: all of them together send about as many frames a second at most, … */
const FRAMES_PER_SECOND = 12_500;
/** … but no longer than this, however many they are: a reader is to see text flow. */
const LONGEST_COALESCE_MS = 80;
/** Waiting frames of different runs fall due together, so many times within that: they share messages to their gateways. */
const DUE_TIMES = 10;
/** So much text does not wait. */
const COALESCE_CHARS = 16 * 1024;

/** When the text of one reply goes: the first at once, and so does what comes after a silence; else together with what comes within a moment. */
export class FramePace {
  private lastSentMs = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param liveRuns how many runs this process works on
   * @param flush sends what waits, and says so with `sent`
   */
  constructor(
    private readonly liveRuns: () => number,
    private readonly flush: () => void,
  ) {}

  /** So many characters wait. */
  flushSoon(chars: number): void {
    const nowMs = performance.now();
    const patienceMs = patienceFor(this.liveRuns());
    const dueMs = this.lastSentMs + patienceMs;
    if (dueMs <= nowMs || chars >= COALESCE_CHARS) return this.flush();
    if (this.timer) return;
    const stepMs = patienceMs / DUE_TIMES;
    this.timer = setTimeout(() => this.flush(), Math.ceil(dueMs / stepMs) * stepMs - nowMs);
  }

  sent(nowMs: number): void {
    this.lastSentMs = nowMs;
  }

  /** Nothing waits any more. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Another reply begins. */
  restart(): void {
    this.stop();
    this.lastSentMs = -Infinity;
  }
}

function patienceFor(runs: number): number {
  return Math.min(Math.max(COALESCE_MS, (runs * 1_000) / FRAMES_PER_SECOND), LONGEST_COALESCE_MS);
}
