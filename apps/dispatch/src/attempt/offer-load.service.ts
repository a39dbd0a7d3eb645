import { Injectable } from '@nestjs/common';
import type { OfferHealthReport } from '@svc/contracts';

/** What happened at an offer since the last report. */
interface Tally {
  succeeded: number;
  failed: number;
  /** Of the failed. */
  invalid: number;
  firstTokens: number;
  firstTokenMsSum: number;
  /** Of replies that were long enough to tell a speed, what was written and how long that took. */
  tokens: number;
  writingMs: number;
}

interface OfferState extends Tally {
  inFlight: number;
  /** How fast the offer has lately been at its best; undefined while unknown. */
  msPerToken: number | undefined;
  /** Asked since the last report. */
  touched: boolean;
}

/** Shorter replies say more of the way than of the speed. */
const MIN_TOKENS_TO_JUDGE = 8;
const NOTHING: Readonly<Tally> = {
  succeeded: 0,
  failed: 0,
  invalid: 0,
  firstTokens: 0,
  firstTokenMsSum: 0,
  tokens: 0,
  writingMs: 0,
};
const MAX_TOKENS_PER_SECOND = 1_000_000;
/** Lets the best speed be forgotten slowly. */
const SPEED_DECAY = 1.02;

/** What this instance has under way at each offer, and how it went since the last health report. */
@Injectable()
export class OfferLoad {
  private readonly states = new Map<string, OfferState>();

  /** Takes one of the offer's places. @returns false when all are taken */
  enter(offerId: string, concurrency: number): boolean {
    const state = this.stateOf(offerId);
    if (state.inFlight >= concurrency) return false;
    state.inFlight++;
    state.touched = true;
    return true;
  }

  /** Gives the place back. */
  leave(offerId: string): void {
    this.stateOf(offerId).inFlight--;
  }

  /** @param firstTokenMs of streams; a plain reply does not show its first token */
  succeeded(offerId: string, firstTokenMs: number | undefined): void {
    const state = this.stateOf(offerId);
    state.succeeded++;
    if (firstTokenMs === undefined) return;
    state.firstTokens++;
    state.firstTokenMsSum += firstTokenMs;
  }

  /** @param invalid it answered, with what must not be delivered */
  failed(offerId: string, invalid: boolean): void {
    const state = this.stateOf(offerId);
    state.failed++;
    if (invalid) state.invalid++;
  }

  /**
   * @param ms what the offer took to write `tokens` tokens
   * @param streamed the time is that of writing alone; in a plain reply's is also what came before the first token
   */
  observeSpeed(offerId: string, tokens: number, ms: number, streamed: boolean): void {
    if (tokens < MIN_TOKENS_TO_JUDGE) return;
    const state = this.stateOf(offerId);
    if (streamed) {
      state.tokens += tokens;
      state.writingMs += ms;
    }
    state.msPerToken = Math.min(ms / tokens, (state.msPerToken ?? Infinity) * SPEED_DECAY);
  }

  /** The offer was slower than expected: its speed is unknown again. */
  forgetSpeed(offerId: string): void {
    this.stateOf(offerId).msPerToken = undefined;
  }

  /** Whether the offer is known to write so many tokens in that time. */
  writesWithin(offerId: string, tokens: number, ms: number): boolean {
    const { msPerToken } = this.stateOf(offerId);
    return msPerToken !== undefined && msPerToken * tokens <= ms;
  }

  /** The report of what happened since the last one; begins the next. */
  report(): OfferHealthReport[] {
    const offers: OfferHealthReport[] = [];
    for (const [offerId, state] of this.states) {
      if (!state.touched && state.inFlight === 0) continue;
      offers.push(reportOf(offerId, state));
      Object.assign(state, NOTHING, { touched: false });
    }
    return offers;
  }

  /** Forgets offers that are gone and idle. */
  keepOnly(isOffered: (offerId: string) => boolean): void {
    for (const [offerId, state] of this.states) {
      if (state.inFlight === 0 && !isOffered(offerId)) this.states.delete(offerId);
    }
  }

  private stateOf(offerId: string): OfferState {
    let state = this.states.get(offerId);
    if (!state) {
      state = { ...NOTHING, inFlight: 0, msPerToken: undefined, touched: false };
      this.states.set(offerId, state);
    }
    return state;
  }
}

function reportOf(offerId: string, state: OfferState): OfferHealthReport {
  const { succeeded, failed, invalid, inFlight, firstTokens, firstTokenMsSum, tokens, writingMs } = state;
  return {
    offerId,
    succeeded,
    failed,
    invalid,
    inFlight,
    ...(firstTokens > 0 && { firstTokenMs: Math.round(firstTokenMsSum / firstTokens) }),
    ...(tokens > 0 && { tokensPerSecond: speedOf(tokens, writingMs) }),
  };
}

/** A reply that comes all at once says no more than that it was fast. */
function speedOf(tokens: number, ms: number): number {
  return Math.min(Math.round((tokens * 1_000) / Math.max(ms, 1)), MAX_TOKENS_PER_SECOND);
}
