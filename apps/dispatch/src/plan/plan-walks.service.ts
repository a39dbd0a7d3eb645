import { Injectable } from '@nestjs/common';
import { ReplyMemory } from '../attempt/reply-memory.service';
import type { Run } from '../live-run/run';
import { LOAD_PATIENCE_MS, OfferDirectory } from '../offers/offer-directory.service';
import { OfferEntrance } from '../offers/offer-entrance.service';
import { AttemptNotes } from './attempt-notes.service';
import { PlanWalk } from './plan-walk';

/** Sends runs on their way along their plans. */
@Injectable()
export class PlanWalks {
  constructor(
    private readonly offers: OfferDirectory,
    private readonly entrance: OfferEntrance,
    private readonly notes: AttemptNotes,
    private readonly memory: ReplyMemory,
  ) {}

  /** Begins one as soon as the offers are known; whoever takes it says when it ends. */
  async begin(run: Run): Promise<PlanWalk> {
    if (!this.offers.loaded) await this.offers.whenLoaded(LOAD_PATIENCE_MS);
    return new PlanWalk(run, this.entrance, this.notes, this.memory);
  }
}
