import { Injectable } from '@nestjs/common';
import { OfferCalls } from './offer-calls.service';
import type { Asked, CallOptions } from './offer-calls.service';
import { DispatchConfig } from '../dispatch.config';
import { DispatchMetrics } from '../dispatch.metrics';
import { OfferEntrance } from '../offers/offer-entrance.service';
import type { Candidate } from '../offers/offer-entrance.service';
import { OfferLoad } from '../offers/offer-load.service';
import type { ServedOutcome, StoppedOutcome } from './plan-outcome';
import type { PlanWalk } from './plan-walk';
import { Race } from './race';

/** Asks an offer of a plan, by itself or, where hedging is on, with the next one beside it when it is late. */
@Injectable()
export class Asking {
  constructor(
    private readonly calls: OfferCalls,
    private readonly entrance: OfferEntrance,
    private readonly load: OfferLoad,
    private readonly metrics: DispatchMetrics,
    private readonly config: DispatchConfig,
  ) {}

  /** @returns undefined when whoever was asked failed */
  async ask(walk: PlanWalk, candidate: Candidate): Promise<ServedOutcome | StoppedOutcome | undefined> {
    if (this.config.hedging === 'on') return this.race(walk, candidate);
    const { output } = walk.run;
    const mayPassOn = () => walk.mayPassOn;
    const asked = await this.call(walk, candidate, { output, alwaysStreamed: false, mayPassOn });
    return walk.noteAsked(candidate, asked);
  }

  private async race(walk: PlanWalk, first: Candidate): Promise<ServedOutcome | StoppedOutcome | undefined> {
    const race = new Race(walk, {
      ask: (candidate, options) => this.call(walk, candidate, options),
      lateAfterMs: ({ offer }) => this.load.usualFirstTokenMs(offer.offerId),
    });
    const outcome = await race.run(first);
    const isOther = outcome?.kind === 'served' && outcome.planned !== first.planned;
    if (race.wasHedged) this.metrics.hedged(isOther ? 'won' : 'lost');
    return outcome;
  }

  private call(walk: PlanWalk, candidate: Candidate, options: CallOptions): Promise<Asked> {
    walk.trail.noteCall(candidate.planned);
    return this.calls.ask(walk.run, candidate, options).finally(() => this.entrance.leave(candidate));
  }
}
