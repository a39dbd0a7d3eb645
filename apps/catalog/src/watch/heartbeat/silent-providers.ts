/** Fewer providers may well be gone at the same time. */
const PROVIDERS_TO_DOUBT_OURSELVES = 5;
/** Of all that were asked within an interval. */
const SILENT_SHARE_TO_DOUBT_OURSELVES = 0.9;
/** Longer silence is held against the silent: a fault of ours that lasts is for operators, and who is gone must not stay listed. */
export const INTERVALS_OF_DOUBT = 3;
/** Heartbeats are an interval apart, give or take what we are late. */
const WINDOW_INTERVALS = 1.25;

interface Heard {
  provider: string;
  atMs: number;
  answered: boolean;
}

/**
 * Which providers answered of late, to tell when it is us who cannot be answered: a network, a resolver or a proxy of ours that is down
 * looks like everybody's silence. A provider is silent when all of its endpoints are: one machine has as many ports as its owner likes.
 * Those that were given up already say nothing of it, unless they answer. Heartbeats tell it; whoever else asks endpoints goes by it too.
 */
export class SilentProviders {
  /** By provider and endpoint. */
  private readonly heard = new Map<string, Heard>();
  private silentSinceMs: number | undefined;

  constructor(private readonly heartbeatMs: number) {}

  /** @param nowMs on one clock that never goes back */
  note(provider: string, endpoint: string, answered: boolean, nowMs: number): void {
    this.heard.set(`${provider} ${endpoint}`, { provider, atMs: nowMs, answered });
  }

  /** Whether all, or nearly all, were silent when asked last, and have not been for long. */
  isOurs(nowMs: number): boolean {
    if (!this.areNearlyAllSilent(nowMs)) {
      this.silentSinceMs = undefined;
      return false;
    }
    this.silentSinceMs ??= nowMs;
    return nowMs - this.silentSinceMs < this.heartbeatMs * INTERVALS_OF_DOUBT;
  }

  /**
   * Whether all, or nearly all, were silent when asked last, for however long: until then nothing is to be learnt of an endpoint by asking it.
   * @param nowMs on the same clock
   */
  areNearlyAllSilent(nowMs: number): boolean {
    const answers = new Map<string, boolean>();
    for (const [key, { provider, atMs, answered }] of this.heard) {
      if (nowMs - atMs > this.heartbeatMs * WINDOW_INTERVALS) this.heard.delete(key);
      else answers.set(provider, answered || answers.get(provider) === true);
    }
    const silent = [...answers.values()].filter((answered) => !answered).length;
    const asked = answers.size;
    return asked >= PROVIDERS_TO_DOUBT_OURSELVES && silent >= asked * SILENT_SHARE_TO_DOUBT_OURSELVES;
  }
}
