import type { OfferHealthReport } from '@svc/contracts';
import type { OfferHealth } from '../ranking/candidate';
import { DecayedOutcomes } from './decayed-outcomes';
import { ExpectedLoad } from './expected-load';

/** For how long what was found out holds: health is asked far more often than it changes. */
const FRESH_MS = 25;
/** What a request takes while nothing is known of it. */
const UNKNOWN_DURATION_MS = 1_000;
const SHORTEST_DURATION_MS = 5;

/** All that is known of one offer's health. */
export class OfferRecord {
  private readonly outcomes: DecayedOutcomes;
  private readonly load: ExpectedLoad;
  private durationMs = UNKNOWN_DURATION_MS;
  private known: OfferHealth | undefined;
  private knownMs = -Infinity;

  constructor(nowMs: number) {
    this.outcomes = new DecayedOutcomes(nowMs);
    this.load = new ExpectedLoad(nowMs);
  }

  /**
   * One instance's part of a report.
   * @param sinceMs what time it is about
   */
  observe(reported: OfferHealthReport, sinceMs: number, nowMs: number): void {
    const ended = reported.succeeded + reported.failed;
    if (ended > 0) this.outcomes.add(reported, nowMs);
    this.outcomes.addBusy({ inFlight: reported.inFlight, ms: sinceMs, ended }, nowMs);
    this.durationMs = Math.max(this.outcomes.durationMs(nowMs) ?? UNKNOWN_DURATION_MS, SHORTEST_DURATION_MS);
  }

  /** See `ExpectedLoad`. */
  report(inFlight: number, news: number, nowMs: number): void {
    this.load.report(inFlight, news, nowMs, this.durationMs);
    this.known = undefined;
  }

  plan(nowMs: number): void {
    this.load.plan(nowMs, this.durationMs);
    this.known = undefined;
  }

  health(nowMs: number): OfferHealth {
    if (this.known && nowMs - this.knownMs < FRESH_MS) return this.known;
    this.knownMs = nowMs;
    this.known = {
      errorRate: this.outcomes.errorRate(nowMs),
      firstTokenMs: this.outcomes.firstTokenMs(nowMs),
      inFlight: this.load.inFlight(nowMs, this.durationMs),
    };
    return this.known;
  }

  forgotten(nowMs: number): boolean {
    return this.outcomes.forgotten(nowMs) && this.load.inFlight(nowMs, this.durationMs) < 0.01;
  }
}
