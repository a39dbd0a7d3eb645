import type { FailureReason } from '@svc/contracts';

/** How long a provider may take. */
export interface Patience {
  /** Until the first token. */
  firstTokenTimeoutMs: number;
  /** Silence after it. */
  chunkTimeoutMs: number;
  /** In all, however steadily it drips; time in which nobody reads does not count. */
  totalTimeoutMs: number;
}

/** How much later than planned a timer must fire to show that this process stood still. */
const STOOD_STILL_MS = 1_000;
/** For usage and `[DONE]`, once the finish reason has come: they come with it, or not at all. */
const END_PATIENCE_MS = 5_000;
/** The shortest that servers and proxies are known to be set to, where their peer takes nothing. */
const LONG_PAUSE_MS = 10_000;
/** How long a reader must have read on to have caught up with the provider: a connection that is lost then was not closed in that pause. */
const CAUGHT_UP_MS = 5_000;

export type OverdueReason = Extract<FailureReason, 'first_token_timeout' | 'chunk_timeout' | 'total_timeout'>;

/** Watches the time of one reply. */
export class ReplyClock {
  /** When the first token came, after the request; undefined until then. */
  firstTokenMs: number | undefined;
  private readonly startedMs = performance.now();
  private silence: NodeJS.Timeout;
  /** The last look at what has come, before it is called silence. */
  private lastLook: NodeJS.Immediate | undefined;
  private total: NodeJS.Timeout;
  /** When that is to fire, after the request. */
  private totalDueMs: number;
  private pausedSinceMs: number | undefined;
  private pausedMs = 0;
  /** Since the reader had last caught up. */
  private longestPauseMs = 0;
  private resumedMs = 0;

  /** @param readOn sees to it that what lies unread is read; called before the last look at it */
  constructor(
    private readonly patience: Patience,
    private readonly readOn: () => void,
    private readonly onOverdue: (reason: OverdueReason) => void,
  ) {
    const { firstTokenTimeoutMs, totalTimeoutMs } = patience;
    this.silence = this.silenceOf(firstTokenTimeoutMs, () => onOverdue('first_token_timeout'));
    this.totalDueMs = totalTimeoutMs;
    this.total = setTimeout(() => this.onTotal(), totalTimeoutMs);
  }

  /** Since the request. */
  get elapsedMs(): number {
    return performance.now() - this.startedMs;
  }

  /** Reading has been stopped at some time, so that the times say nothing of the provider. */
  get wasPaused(): boolean {
    return this.pausedMs > 0 || this.pausedSinceMs !== undefined;
  }

  /** At some time reading was stopped for so long that servers give up who takes nothing, and it has not caught up since. */
  get wasPausedLong(): boolean {
    this.forgetPauses();
    return Math.max(this.longestPauseMs, this.pauseMs) >= LONG_PAUSE_MS;
  }

  /** The provider has said something. */
  noteProgress(): void {
    clearImmediate(this.lastLook);
    if (this.firstTokenMs !== undefined) {
      this.silence.refresh();
      return;
    }
    this.firstTokenMs = this.elapsedMs;
    clearTimeout(this.silence);
    this.silence = this.silenceOf(this.patience.chunkTimeoutMs, () => this.onSilence());
  }

  /** Only usage and `[DONE]` can still come, which the reply can do without: they get less time than a word would. */
  noteFinished(): void {
    clearTimeout(this.silence);
    const patienceMs = Math.min(this.patience.chunkTimeoutMs, END_PATIENCE_MS);
    this.silence = this.silenceOf(patienceMs, () => this.onSilence());
  }

  /** It is us who do not read. */
  pause(): void {
    this.forgetPauses();
    this.pausedSinceMs ??= performance.now();
  }

  resume(): void {
    if (this.pausedSinceMs === undefined) return;
    const { pauseMs } = this;
    this.pausedMs += pauseMs;
    this.longestPauseMs = Math.max(this.longestPauseMs, pauseMs);
    this.pausedSinceMs = undefined;
    this.resumedMs = performance.now();
    // The silence was ours.
    clearImmediate(this.lastLook);
    this.silence.refresh();
  }

  stop(): void {
    clearTimeout(this.silence);
    clearImmediate(this.lastLook);
    clearTimeout(this.total);
  }

  /** Timers run before what has come is read: if this process stood still, the provider's words may lie there. */
  private silenceOf(ms: number, then: () => void): NodeJS.Timeout {
    return setTimeout(() => {
      this.readOn();
      this.lastLook = setImmediate(then);
    }, ms);
  }

  private forgetPauses(): void {
    const isReading = this.pausedSinceMs === undefined;
    if (isReading && performance.now() - this.resumedMs >= CAUGHT_UP_MS) this.longestPauseMs = 0;
  }

  /** For how long nobody has been reading by now. */
  private get pauseMs(): number {
    return this.pausedSinceMs === undefined ? 0 : performance.now() - this.pausedSinceMs;
  }

  private onSilence(): void {
    if (this.pausedSinceMs === undefined) this.onOverdue('chunk_timeout');
  }

  private onTotal(): void {
    const { elapsedMs } = this;
    const pausedMs = this.pausedMs + this.pauseMs;
    const lateMs = elapsedMs - this.totalDueMs;
    // As long again, if it was we who stood still: the provider's words may lie there unread.
    const againMs = lateMs > STOOD_STILL_MS ? lateMs : 0;
    const leftMs = Math.max(againMs, this.patience.totalTimeoutMs + pausedMs - elapsedMs);
    // Timers may fire a little early.
    if (leftMs <= 1) return this.onOverdue('total_timeout');
    this.totalDueMs = elapsedMs + leftMs;
    this.total = setTimeout(() => this.onTotal(), leftMs);
  }
}
