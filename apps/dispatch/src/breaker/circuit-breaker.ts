/** `half_open`: a request is let through to see whether the offer works again. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** One request that was let through. */
export interface Passage {
  /** Between which two changes of state it came; what began before the last one says nothing of now. */
  readonly era: number;
}

/** It opens after this many failures in a row, … */
const MOST_IN_A_ROW = 5;
/** … or when half of the known ones among this many last outcomes are failures, and at least `LEAST_KNOWN` are known. */
const WINDOW = 20;
const LEAST_KNOWN = 10;

const FIRST_OPEN_MS = 1_000;
export const LONGEST_OPEN_MS = 30_000;
/** Each time is drawn from a quarter less to a quarter more: replicas must not all come back at once. */
const JITTER = 0.25;

/**
 * Keeps requests from an offer that fails. Opens after too many failures, at once when the provider names a time to come back;
 * lets one request through after a while, and closes when that is served. Each opening that follows soon is twice as long,
 * up to 30 s.
 */
export class CircuitBreaker {
  private current: BreakerState = 'closed';
  private era = 0;
  private inARow = 0;
  /** The last `WINDOW` outcomes, a bit each; 1 is a failure. */
  private outcomes = 0;
  private known = 0;
  /** How long it was open last, before jitter. */
  private openMs = 0;
  private openUntilMs = 0;
  private closedSinceMs = -Infinity;
  private probe: Passage | undefined;

  /**
   * @param onChange hears of each change of state
   * @param random from 0 to 1
   */
  constructor(
    private readonly onChange: (state: BreakerState) => void,
    private readonly random: () => number = Math.random,
  ) {}

  get state(): BreakerState {
    return this.current;
  }

  /** Whether `enter` would let a request through now. */
  admits(nowMs: number): boolean {
    return this.current === 'closed' || (nowMs >= this.openUntilMs && this.probe === undefined);
  }

  /** @returns undefined when the offer is not to be asked now; otherwise one of the three below is to follow */
  enter(nowMs: number): Passage | undefined {
    if (!this.admits(nowMs)) return undefined;
    const passage = { era: this.era };
    if (this.current !== 'closed') {
      this.probe = passage;
      this.become('half_open');
    }
    return passage;
  }

  /** The request was served. */
  succeeded(passage: Passage, nowMs: number): void {
    if (passage.era !== this.era) return;
    if (this.current !== 'closed') return this.close(nowMs);
    this.inARow = 0;
    this.count(0);
  }

  /**
   * The offer failed.
   * @param pauseMs how long a pause the provider asks for
   */
  failed(passage: Passage, nowMs: number, pauseMs?: number): void {
    if (passage.era !== this.era) return;
    this.inARow++;
    this.count(1);
    const isTooMuch = this.current === 'half_open' || pauseMs !== undefined || this.hasFailedTooOften();
    if (isTooMuch) this.open(nowMs, pauseMs);
  }

  /**
   * The request says nothing of the offer, or nothing yet: it has begun to answer, so the next one may be let through
   * meanwhile. What becomes of this one counts all the same.
   */
  makeWay(passage: Passage): void {
    if (this.probe === passage) this.probe = undefined;
  }

  /** Until a request may be let through; 0 when it may, or one is under way. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.openUntilMs - nowMs);
  }

  private hasFailedTooOften(): boolean {
    if (this.inARow >= MOST_IN_A_ROW) return true;
    return this.known >= LEAST_KNOWN && 2 * bitsIn(this.outcomes) >= this.known;
  }

  private count(outcome: 0 | 1): void {
    this.outcomes = ((this.outcomes << 1) | outcome) & ((1 << WINDOW) - 1);
    this.known = Math.min(this.known + 1, WINDOW);
  }

  private open(nowMs: number, pauseMs: number | undefined): void {
    this.openUntilMs = nowMs + (pauseMs === undefined ? this.nextOpenMs(nowMs) : this.pause(pauseMs));
    this.begin('open');
  }

  private nextOpenMs(nowMs: number): number {
    // One that closes and opens by turns is not tried every second for ever.
    const isRelapse = this.current === 'half_open' || nowMs - this.closedSinceMs < LONGEST_OPEN_MS;
    this.openMs = isRelapse
      ? Math.min(Math.max(2 * this.openMs, FIRST_OPEN_MS), LONGEST_OPEN_MS)
      : FIRST_OPEN_MS;
    return Math.min(this.openMs * (1 - JITTER + 2 * JITTER * this.random()), LONGEST_OPEN_MS);
  }

  /** Who names a time knows better; nobody comes back before it. */
  private pause(pauseMs: number): number {
    return Math.min(Math.max(pauseMs, FIRST_OPEN_MS) * (1 + JITTER * this.random()), LONGEST_OPEN_MS);
  }

  private close(nowMs: number): void {
    this.closedSinceMs = nowMs;
    this.outcomes = 0;
    this.known = 0;
    this.begin('closed');
  }

  private begin(state: BreakerState): void {
    this.era++;
    this.inARow = 0;
    this.probe = undefined;
    this.become(state);
  }

  private become(state: BreakerState): void {
    if (state === this.current) return;
    this.current = state;
    this.onChange(state);
  }
}

function bitsIn(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
