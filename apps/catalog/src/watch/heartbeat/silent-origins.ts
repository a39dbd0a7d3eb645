/** Fewer origins may well be gone at the same time. */
export const ORIGINS_TO_DOUBT_OURSELVES = 5;
/** Of all that were asked within an interval. */
export const SILENT_SHARE_TO_DOUBT_OURSELVES = 0.9;
/** Heartbeats are an interval apart, give or take what we are late. */
const WINDOW_INTERVALS = 1.25;

interface Heard {
  atMs: number;
  answered: boolean;
}

/**
 * Which origins answered of late, to tell when it is us who cannot be answered: a network, a resolver or a proxy of ours that is down
 * looks like everybody's silence. Those that were given up already say nothing of it, unless they answer.
 */
export class SilentOrigins {
  private readonly heard = new Map<string, Heard>();

  constructor(private readonly heartbeatMs: number) {}

  /** @param nowMs on one clock that never goes back */
  note(origin: string, answered: boolean, nowMs: number): void {
    this.heard.set(origin, { atMs: nowMs, answered });
  }

  /** Whether all, or nearly all, were silent when asked last. */
  isOurs(nowMs: number): boolean {
    let silent = 0;
    for (const [origin, { atMs, answered }] of this.heard) {
      if (nowMs - atMs > this.heartbeatMs * WINDOW_INTERVALS) this.heard.delete(origin);
      else if (!answered) silent++;
    }
    const asked = this.heard.size;
    return asked >= ORIGINS_TO_DOUBT_OURSELVES && silent >= asked * SILENT_SHARE_TO_DOUBT_OURSELVES;
  }
}
