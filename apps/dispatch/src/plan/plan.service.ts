import { Injectable } from '@nestjs/common';
import { AttemptNotes } from './attempt-notes.service';
import { DispatchConfig } from '../dispatch.config';
import { OfferEntrance } from '../offers/offer-entrance.service';
import type { Candidate } from '../offers/offer-entrance.service';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { Run } from '../live-run/run';
import { Asking } from './asking.service';
import type { PlanOutcome } from './plan-outcome';
import type { PlanTrail } from './plan-trail';
import type { PlanWalk } from './plan-walk';
import { PlanWalks } from './plan-walks.service';

/** Goes along a run's plan until an offer serves, as long as the client has not been given anything. */
@Injectable()
export class PlanService {
  constructor(
    private readonly walks: PlanWalks,
    private readonly entrance: OfferEntrance,
    private readonly notes: AttemptNotes,
    private readonly asking: Asking,
    private readonly config: DispatchConfig,
  ) {}

  async serve(run: Run): Promise<PlanOutcome> {
    const walk = await this.walks.begin(run);
    try {
      return await this.toTheEnd(walk);
    } finally {
      walk.end();
    }
  }

  private async toTheEnd(walk: PlanWalk): Promise<PlanOutcome> {
    const outcome =
      (await this.along(walk, () => walk.next())) ?? walk.takeSpare() ?? (await this.queue(walk));
    if (outcome) return outcome;
    const { run, trail } = walk;
    if (run.stopReason) {
      const times = { firstTokenMs: undefined, totalMs: run.elapsedMs };
      return { kind: 'stopped', planned: undefined, passedOnBytes: 0, trail, times };
    }
    return { kind: 'failed', failures: this.failuresOf(trail), trail };
  }

  /** Asks those that were busy, as places come free; not for ever. */
  private queue(walk: PlanWalk): Promise<PlanOutcome | undefined> {
    const untilMs = performance.now() + this.config.queuePatienceMs;
    return this.along(walk, () => walk.nextFree(Math.max(0, untilMs - performance.now())));
  }

  /** Asks one after the other. @returns undefined when nobody could serve */
  private async along(
    walk: PlanWalk,
    next: () => Promise<Candidate | undefined>,
  ): Promise<PlanOutcome | undefined> {
    for (let candidate = await next(); candidate; candidate = await next()) {
      const outcome = await this.asking.ask(walk, candidate);
      if (outcome?.kind === 'served') this.noteProvedWrong(walk.trail);
      if (outcome) return outcome;
      if (!walk.run.output.delivered) walk.run.output.discard();
    }
    return undefined;
  }

  private noteProvedWrong({ failed }: PlanTrail): void {
    for (const [{ offerId }, failure] of failed) this.notes.provedWrong(offerId, failure);
  }

  private failuresOf({ failed }: PlanTrail): ProviderFailure[] {
    return failed.map(([{ offerId }, failure]) => {
      const retryAfterSeconds = this.entrance.retryAfterSeconds(offerId, failure);
      return { ...failure, retryAfterSeconds };
    });
  }
}
