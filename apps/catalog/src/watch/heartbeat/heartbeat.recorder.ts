import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PublicationService } from '../../publication/publication.service';
import { WatchMetrics } from '../watch.metrics';
import type { DueOffer } from './due-heartbeats.store';
import type { EndpointGroup } from './endpoint-groups';
import { HeartbeatStore } from './heartbeat.store';
import type { Heartbeat } from './heartbeat.store';
import type { Pulse } from './pulse.service';

/** Gathers what endpoints answered and writes it down, much at a time. */
@Injectable()
export class HeartbeatRecorder {
  /** Answered, of offers that nothing was held against. */
  private sound: string[] = [];
  private others: Heartbeat[] = [];

  constructor(
    private readonly store: HeartbeatStore,
    private readonly publication: PublicationService,
    private readonly metrics: WatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  add(group: EndpointGroup, pulse: Pulse): void {
    this.metrics.heartbeats.inc({ outcome: pulse.outcome }, group.length);
    if (pulse.outcome === 'unknown') return;
    const answered = pulse.outcome !== 'missed';
    for (const offer of group) {
      if (answered && offer.sound) this.sound.push(offer.id);
      else this.others.push(heartbeatOf(offer, answered, pulse.reason));
    }
  }

  /**
   * Writes what was gathered, and has what changed published. What cannot be written is dropped: the next heartbeat tells it again.
   * @throws when the database is away
   */
  async flush(): Promise<void> {
    const { sound, others } = this;
    this.sound = [];
    this.others = [];
    await this.store.saw(sound);
    const changes = await this.store.record(others);
    for (const change of changes) this.logger.info(change, 'heartbeat changed an offer');
    // One that is only looked at again is off the market as before.
    if (changes.some(({ effect }) => effect !== 'recheck')) void this.publication.publish();
  }
}

function heartbeatOf(offer: DueOffer, answered: boolean, reason: string | undefined): Heartbeat {
  return { offerId: offer.id, version: offer.version, answered, ...(reason !== undefined && { reason }) };
}
