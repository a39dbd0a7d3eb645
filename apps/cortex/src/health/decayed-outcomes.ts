import type { OfferHealthReport } from '@svc/contracts';

/** After this long an outcome counts half. */
export const HALF_LIFE_MS = 30_000;
/**
 * Successes that every offer is credited with: one failure of an offer about which nothing else is known is no
 * verdict, two in a row are (2 of 4).
 */
const CREDITED_SUCCESSES = 2;
/** Below this weight nothing is remembered of an outcome. */
const FORGOTTEN_WEIGHT = 0.01;

/** How the attempts on one offer went, old ones fading exponentially. */
export class DecayedOutcomes {
  private succeeded = 0;
  private failed = 0;
  private firstTokenSumMs = 0;
  private firstTokens = 0;
  private busyMs = 0;
  private ended = 0;

  constructor(private atMs: number) {}

  /** @param nowMs on the same clock as all other times given; never going back */
  add(outcomes: Pick<OfferHealthReport, 'succeeded' | 'failed' | 'firstTokenMs'>, nowMs: number): void {
    this.fade(nowMs);
    this.succeeded += outcomes.succeeded;
    this.failed += outcomes.failed;
    if (outcomes.firstTokenMs === undefined) return;
    this.firstTokenSumMs += outcomes.firstTokenMs * outcomes.succeeded;
    this.firstTokens += outcomes.succeeded;
  }

  /** `inFlight` requests were under way for `ms` milliseconds, and `ended` ended meanwhile. */
  addBusy({ inFlight, ms, ended }: { inFlight: number; ms: number; ended: number }, nowMs: number): void {
    this.fade(nowMs);
    this.busyMs += inFlight * ms;
    this.ended += ended;
  }

  /** Share of failures, 0 to 1; sinks as time passes without any. */
  errorRate(nowMs: number): number {
    this.fade(nowMs);
    return this.failed / (this.failed + this.succeeded + CREDITED_SUCCESSES);
  }

  /** Mean time to the first token in ms; undefined while there is none. */
  firstTokenMs(nowMs: number): number | undefined {
    this.fade(nowMs);
    return this.firstTokens < FORGOTTEN_WEIGHT ? undefined : this.firstTokenSumMs / this.firstTokens;
  }

  /**
   * Mean time that a request takes, in ms, from how many are under way and how many end (Little's law); undefined while none has ended.
   */
  durationMs(nowMs: number): number | undefined {
    this.fade(nowMs);
    return this.ended < FORGOTTEN_WEIGHT ? undefined : this.busyMs / this.ended;
  }

  forgotten(nowMs: number): boolean {
    this.fade(nowMs);
    return this.succeeded + this.failed + this.ended < FORGOTTEN_WEIGHT && this.busyMs < 1;
  }

  private fade(nowMs: number): void {
    if (nowMs === this.atMs) return;
    const factor = 0.5 ** ((nowMs - this.atMs) / HALF_LIFE_MS);
    this.atMs = nowMs;
    this.succeeded *= factor;
    this.failed *= factor;
    this.firstTokenSumMs *= factor;
    this.firstTokens *= factor;
    this.busyMs *= factor;
    this.ended *= factor;
  }
}
