/** Longer than messages of one connection can lie between each other here. */
const KEPT_MS = 5_000;
const MAX_KEPT = 20_000;

/**
 * Cancels of runs that nobody here knows: most are another instance's, but some have overtaken the message that starts their run,
 * which is taken a little later when both come at once.
 */
export class EarlyCancels {
  /** When each came, the first first; of the monotonic clock. */
  private readonly cameMs = new Map<string, number>();

  add(requestId: string, nowMs: number): void {
    this.sweep(nowMs);
    if (this.cameMs.size < MAX_KEPT) this.cameMs.set(requestId, nowMs);
  }

  /** @returns whether the run was cancelled before it came */
  take(requestId: string): boolean {
    return this.cameMs.delete(requestId);
  }

  private sweep(nowMs: number): void {
    for (const [requestId, cameMs] of this.cameMs) {
      if (nowMs - cameMs < KEPT_MS) return;
      this.cameMs.delete(requestId);
    }
  }
}
