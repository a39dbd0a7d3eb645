/** How long text may wait for more to go with it. A frame a chunk would be most of what a stream costs. */
const COALESCE_MS = 20;
/** With many runs under way it waits longer: all of them together send about as many frames a second at most, … */
const FRAMES_PER_SECOND = 12_500;
/** … but no longer than this, however many they are: a reader is to see text flow. */
const LONGEST_COALESCE_MS = 80;
/** The time that text may wait is divided into at least this many moments at which frames fall due. */
const DUE_TIMES = 10;

/** What falls due at one moment; who is taken out before is not called. */
export type DueFrames = Set<() => void>;

/** The moments at which waiting text goes, the same for all runs of a process: their frames share timers, and messages to their gateways. */
export class FrameClock {
  private readonly moments = new Map<number, DueFrames>();

  /** @param liveRuns how many runs the process works on */
  constructor(private readonly liveRuns: () => number) {}

  /** How long text waits for more. */
  get patienceMs(): number {
    const wantedMs = (this.liveRuns() * 1_000) / FRAMES_PER_SECOND;
    return Math.min(Math.max(COALESCE_MS, wantedMs), LONGEST_COALESCE_MS);
  }

  /** Whether there are so many runs that text waits longer than `COALESCE_MS`. */
  get isCrowded(): boolean {
    return this.patienceMs > COALESCE_MS;
  }

  /**
   * Calls at the first moment from `dueMs` on, a tenth of the patience later at the latest.
   * @param patienceMs as it was when `dueMs` was reckoned
   * @param nowMs on performance.now()'s clock, as `dueMs`
   */
  callAt(dueMs: number, patienceMs: number, nowMs: number, flush: () => void): DueFrames {
    // A power of two, so that moments stay the same while the number of runs changes.
    const stepMs = 2 ** Math.floor(Math.log2(patienceMs / DUE_TIMES));
    const momentMs = Math.ceil(dueMs / stepMs) * stepMs;
    const due = this.moments.get(momentMs) ?? this.newMoment(momentMs, nowMs);
    return due.add(flush);
  }

  private newMoment(momentMs: number, nowMs: number): DueFrames {
    const due: DueFrames = new Set();
    this.moments.set(momentMs, due);
    setTimeout(() => {
      this.moments.delete(momentMs);
      for (const flush of due) flush();
    }, momentMs - nowMs);
    return due;
  }
}
