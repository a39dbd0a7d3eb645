import { Injectable } from '@nestjs/common';
import type { OfferHealthReport } from '@svc/contracts';

interface OfferState {
  inFlight: number;
  succeeded: number;
  failed: number;
  firstTokens: number;
  firstTokenMsSum: number;
  /** How fast the offer has lately been at its best; undefined while unknown. */
  msPerToken: number | undefined;
  /** Asked since the last report. */
  touched: boolean;
}

/** Shorter replies say more of the way than of the speed. */
const MIN_TOKENS_TO_JUDGE = 8;
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

  failed(offerId: string): void {
    this.stateOf(offerId).failed++;
  }

  /** @param ms what the offer took to write `tokens` tokens */
  observeSpeed(offerId: string, tokens: number, ms: number): void {
    if (tokens < MIN_TOKENS_TO_JUDGE) return;
    const state = this.stateOf(offerId);
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
      const { succeeded, failed, inFlight, firstTokens, firstTokenMsSum } = state;
      offers.push({
        offerId,
        succeeded,
        failed,
        inFlight,
        ...(firstTokens > 0 && { firstTokenMs: Math.round(firstTokenMsSum / firstTokens) }),
      });
      Object.assign(state, { succeeded: 0, failed: 0, firstTokens: 0, firstTokenMsSum: 0, touched: false });
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
      state = {
        inFlight: 0,
        succeeded: 0,
        failed: 0,
        firstTokens: 0,
        firstTokenMsSum: 0,
        msPerToken: undefined,
        touched: false,
      };
      this.states.set(offerId, state);
    }
    return state;
  }
}
