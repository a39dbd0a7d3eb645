import { Injectable } from '@nestjs/common';
import type { OfferHealthReport } from '@svc/contracts';
import { FirstTokenTimes } from './first-token-times';
import { OfferTally } from './offer-tally';
import type { CountedClaim, CountedFailure } from './offer-tally';

interface OfferState {
  inFlight: number;
  /** How fast the offer has lately been at its best; undefined while unknown. */
  msPerToken: number | undefined;
  readonly firstTokenTimes: FirstTokenTimes;
  /** Asked since the last report. */
  touched: boolean;
  /** Since the last report. */
  tally: OfferTally;
}

/** Shorter replies say more of the way than of the speed. */
const MIN_TOKENS_TO_JUDGE = 8;
/** What comes sooner is not worth a second request. */
const LEAST_USUAL_MS = 50;
/** Lets the best speed be forgotten slowly. */
const SPEED_DECAY = 1.02;

/** What this instance has under way at each offer, and how it went since the last health report. */
@Injectable()
export class OfferLoad {
  private readonly states = new Map<string, OfferState>();

  /** The offer is asked. */
  enter(offerId: string): void {
    const state = this.stateOf(offerId);
    state.inFlight++;
    state.touched = true;
  }

  /** It is asked no more. */
  leave(offerId: string): void {
    const state = this.stateOf(offerId);
    state.inFlight--;
    state.touched = true;
  }

  /** @param firstTokenMs of streams; a plain reply does not show its first token */
  succeeded(offerId: string, firstTokenMs: number | undefined): void {
    const { tally, firstTokenTimes } = this.stateOf(offerId);
    tally.succeeded++;
    if (firstTokenMs === undefined) return;
    firstTokenTimes.add(firstTokenMs);
    tally.firstTokens++;
    tally.firstTokenMsSum += firstTokenMs;
  }

  /** A first token nearly always comes within that time, ms; undefined while too little is known, never less than 50. */
  usualFirstTokenMs(offerId: string): number | undefined {
    const { usualMs } = this.stateOf(offerId).firstTokenTimes;
    return usualMs === undefined ? undefined : Math.max(usualMs, LEAST_USUAL_MS);
  }

  failed(offerId: string, failure: CountedFailure): void {
    const state = this.stateOf(offerId);
    state.tally.fail(failure);
    // Some failures are known of offers that could not be asked, or only after another has served.
    state.touched = true;
  }

  claimed(offerId: string, claim: CountedClaim): void {
    this.stateOf(offerId).tally.claim(claim);
  }

  /** @returns what notes that something came from the offer, as often as it does: for whoever holds a place there */
  pulseOf(offerId: string): () => void {
    const state = this.stateOf(offerId);
    return () => {
      state.tally.progressed = true;
    };
  }

  /**
   * @param ms what the offer took to write `tokens` tokens
   * @param streamed the time is that of writing alone; in a plain reply's is also what came before the first token
   */
  observeSpeed(offerId: string, tokens: number, ms: number, streamed: boolean): void {
    if (tokens < MIN_TOKENS_TO_JUDGE) return;
    const state = this.stateOf(offerId);
    if (streamed) {
      state.tally.tokens += tokens;
      state.tally.writingMs += ms;
    }
    state.msPerToken = Math.min(ms / tokens, (state.msPerToken ?? Infinity) * SPEED_DECAY);
  }

  /** The offer was slower than expected: its speed is unknown again. */
  forgetSpeed(offerId: string): void {
    this.stateOf(offerId).msPerToken = undefined;
  }

  /** Whether the offer is known to write `tokens` tokens within `ms`. */
  writesWithin(offerId: string, tokens: number, ms: number): boolean {
    const { msPerToken } = this.stateOf(offerId);
    return msPerToken !== undefined && msPerToken * tokens <= ms;
  }

  /** The report of what happened since the last one; begins the next. */
  report(): OfferHealthReport[] {
    const offers: OfferHealthReport[] = [];
    for (const [offerId, state] of this.states) {
      if (!state.touched && state.inFlight === 0) continue;
      offers.push(state.tally.report(offerId, state.inFlight));
      state.tally = new OfferTally();
      state.touched = false;
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
      const firstTokenTimes = new FirstTokenTimes();
      state = {
        inFlight: 0,
        msPerToken: undefined,
        firstTokenTimes,
        touched: false,
        tally: new OfferTally(),
      };
      this.states.set(offerId, state);
    }
    return state;
  }
}
