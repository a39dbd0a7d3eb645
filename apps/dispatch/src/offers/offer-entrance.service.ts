import { Injectable } from '@nestjs/common';
import type { RunAttempt } from '@svc/contracts';
import { Breakers } from '../breaker/breakers.service';
import type { Passage } from '../breaker/circuit-breaker';
import { OfferPlaces } from '../places/offer-places.service';
import type { Endpoint } from '../provider-client/endpoint';
import { unavailable } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { Run } from '../live-run/run';
import { OfferDirectory } from './offer-directory.service';
import type { Offer } from './offer-directory.service';
import { OfferLoad } from './offer-load.service';

/** An offer of the plan that can be called: with a place there, and past its breaker. */
export interface Candidate {
  planned: RunAttempt;
  offer: Offer;
  target: Endpoint;
  passage: Passage;
}

/** A planned offer that can be asked, or why it cannot be now. */
export type Entered = { candidate: Candidate } | { planned: RunAttempt; failure: ProviderFailure };

/** Who is let through to an offer: there is one, its breaker admits a request, and a place is free. */
@Injectable()
export class OfferEntrance {
  constructor(
    private readonly offers: OfferDirectory,
    private readonly breakers: Breakers,
    private readonly places: OfferPlaces,
    private readonly load: OfferLoad,
  ) {}

  /** Takes a place at the offer if one is at hand; `leave` gives it back. */
  enter(planned: RunAttempt): Entered {
    const offer = this.offerOf(planned);
    if ('failure' in offer) return { planned, ...offer };
    if (!this.breakers.admits(planned.offerId))
      return { planned, failure: this.breakerOpen(planned.offerId) };
    if (!this.places.take(offer)) return { planned, failure: { kind: 'busy', reason: 'busy' } };
    return this.pass(planned, offer);
  }

  /** Fetches a place if none is at hand, for `enter` to find. */
  prepare(planned: RunAttempt): void {
    const offer = this.offerOf(planned);
    if (!('failure' in offer)) this.places.prepare(offer);
  }

  /**
   * Like `enter`; a place that nobody uses, but this instance does not hold yet, is fetched.
   * @param run whose stop ends the wait; most wait for nothing, and need no signal made
   */
  async enterSoon(planned: RunAttempt, run: Pick<Run, 'stopSignal'>): Promise<Entered> {
    const entered = this.enter(planned);
    if ('candidate' in entered || entered.failure.kind !== 'busy') return entered;
    const offer = this.offerOf(planned);
    if ('failure' in offer || !(await this.places.takeSoon(offer, run.stopSignal))) return entered;
    return this.passAfterWait(planned);
  }

  /**
   * Waits for a place at any of these offers, which were busy.
   * @returns undefined when none came free in time
   */
  async enterAny(
    busy: readonly RunAttempt[],
    patienceMs: number,
    { stopSignal, request }: Run,
  ): Promise<Entered | undefined> {
    const offers: Offer[] = [];
    for (const planned of busy) {
      const offer = this.offerOf(planned);
      if ('failure' in offer) return { planned, ...offer };
      offers.push(offer);
    }
    const offerId = await this.places.wait(offers, patienceMs, stopSignal, request.hold.wallet);
    const planned = busy.find((each) => each.offerId === offerId);
    return planned && this.passAfterWait(planned);
  }

  /** Whatever became of it: a request that ends in an error of ours must not keep the next one from trying, either. */
  leave({ offer: { offerId }, passage }: Candidate): void {
    this.breakers.makeWay(offerId, passage);
    this.load.leave(offerId);
    this.places.giveBack(offerId);
  }

  /** Whole seconds until the offer may be asked again, as far as can be told. */
  retryAfterSeconds(offerId: string, { kind, retryAfterSeconds }: ProviderFailure): number | undefined {
    if (kind === 'busy') return this.places.retryAfterSeconds([offerId]);
    return this.breakers.retryAfterSeconds(offerId) ?? retryAfterSeconds;
  }

  /** With a place at the offer, which may have changed or gone meanwhile. */
  private passAfterWait(planned: RunAttempt): Entered {
    const offer = this.offerOf(planned);
    if (!('failure' in offer)) return this.pass(planned, offer);
    this.places.giveBack(planned.offerId);
    return { planned, ...offer };
  }

  /** With a place at the offer. */
  private pass(planned: RunAttempt, offer: Offer): Entered {
    const { offerId, opened } = offer;
    const passage = opened.target && this.breakers.enter(offerId);
    if (!passage) {
      this.places.giveBack(offerId);
      return { planned, failure: this.breakerOpen(offerId) };
    }
    this.load.enter(offerId);
    return { candidate: { planned, offer, target: opened.target, passage } };
  }

  private offerOf(planned: RunAttempt): Offer | { failure: ProviderFailure } {
    const offer = this.offers.find(planned.offerId);
    // Who is paid, for which model, and how much at most, is the offer's to say, whatever the plan says.
    if (!offer || !isThat(offer, planned)) return { failure: unavailable('offer_gone') };
    const { problem } = offer.opened;
    return problem === undefined ? offer : { failure: unavailable(problem) };
  }

  private breakerOpen(offerId: string): ProviderFailure {
    return unavailable('breaker_open', this.breakers.retryAfterSeconds(offerId));
  }
}

function isThat(offer: Offer, planned: RunAttempt): boolean {
  const { provider, model, mapping } = planned;
  if (offer.provider !== provider || offer.model !== model || offer.mapping !== mapping) return false;
  return offer.prices.covers(planned, performance.now());
}
