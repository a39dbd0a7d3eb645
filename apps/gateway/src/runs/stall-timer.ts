/** A client that takes nothing for so long is cut off. */
export const WRITE_STALL_MS = 30_000;

/** Tells a client that takes nothing from one that takes little at a time. */
export class StallTimer {
  private sinceMs: number | undefined;
  private leftBytes = 0;

  get isRunning(): boolean {
    return this.sinceMs !== undefined;
  }

  /** Does nothing while it runs. @param leftBytes what the client has yet to take */
  start(nowMs: number, leftBytes: number): void {
    if (this.sinceMs !== undefined) return;
    this.sinceMs = nowMs;
    this.leftBytes = leftBytes;
  }

  stop(): void {
    this.sinceMs = undefined;
  }

  /**
   * Whether the client has taken nothing for too long; less left than the last time is progress.
   * @param isQueued behind another reply of its connection: the client cannot take any of it yet
   */
  hasStalled(nowMs: number, leftBytes: number, isQueued: boolean): boolean {
    if (this.sinceMs === undefined) return false;
    if (isQueued || leftBytes < this.leftBytes) this.sinceMs = nowMs;
    this.leftBytes = leftBytes;
    return nowMs - this.sinceMs >= WRITE_STALL_MS;
  }
}
