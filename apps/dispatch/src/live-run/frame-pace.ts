import type { DueFrames, FrameClock } from './frame-clock';

/** Text that has come to this many characters waits no longer. */
const COALESCE_CHARS = 16 * 1024;

/** When the text of one reply goes: the first at once, and so does what comes after a silence; else together with what comes within a moment. */
export class FramePace {
  private lastSentMs = -Infinity;
  /** Where `flush` waits for its moment. */
  private waiting: DueFrames | undefined;

  /** @param flush sends what waits, and says so with `sent` */
  constructor(
    private readonly clock: FrameClock,
    private readonly flush: () => void,
  ) {}

  /** Has the text that waits sent at its moment, or at once. @param chars how many characters wait */
  flushSoon(chars: number): void {
    if (chars >= COALESCE_CHARS) return this.flush();
    if (this.waiting) return;
    const nowMs = performance.now();
    const { patienceMs } = this.clock;
    const dueMs = this.lastSentMs + patienceMs;
    if (dueMs <= nowMs) return this.flush();
    this.waiting = this.clock.callAt(dueMs, patienceMs, nowMs, this.flush);
  }

  /**
   * Instead of having text wait here for more: what there is goes at once, and the caller reads on when `then` is called. What
   * waits unread in the system costs nothing.
   * @returns false, and has done nothing, while few replies are under way: the end of one is not to wait for that
   */
  rest(then: () => void): boolean {
    if (!this.clock.isCrowded) return false;
    this.flush();
    const nowMs = performance.now();
    const { patienceMs } = this.clock;
    this.clock.callAt(nowMs + patienceMs, patienceMs, nowMs, then);
    return true;
  }

  sent(nowMs: number): void {
    this.lastSentMs = nowMs;
  }

  /** Nothing waits any more. */
  stop(): void {
    this.waiting?.delete(this.flush);
    this.waiting = undefined;
  }

  /** Another reply begins. */
  restart(): void {
    this.stop();
    this.lastSentMs = -Infinity;
  }
}
