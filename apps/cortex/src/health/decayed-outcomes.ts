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

  constructor(private atMs: number) {}

  /** @param nowMs on the same clock as all other times given; never going back */
  add(outcomes: Pick<OfferHealthReport, 'succeeded' | 'failed' | 'firstTokenMs'>, nowMs: number): void {
    this.fade(nowMs);
    this.succeeded += outcomes.succeeded;
    this.failed += outcomes.failed;
    if (outcomes.firstTokenMs === undefined || outcomes.succeeded === 0) return;
    this.firstTokenSumMs += outcomes.firstTokenMs * outcomes.succeeded;
    this.firstTokens += outcomes.succeeded;
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

  forgotten(nowMs: number): boolean {
    this.fade(nowMs);
    return this.succeeded + this.failed < FORGOTTEN_WEIGHT;
  }

  private fade(nowMs: number): void {
    const factor = 0.5 ** ((nowMs - this.atMs) / HALF_LIFE_MS);
    this.atMs = nowMs;
    this.succeeded *= factor;
    this.failed *= factor;
    this.firstTokenSumMs *= factor;
    this.firstTokens *= factor;
  }
}
