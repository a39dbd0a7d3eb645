import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PublicationService } from '../../publication/publication.service';
import { WatchMetrics } from '../watch.metrics';
import type { DueOffer } from './due-heartbeats.store';
import type { EndpointGroup } from './endpoint-groups';
import { MISSES_TO_SUSPEND } from './heartbeat-rules';
import { HeartbeatStore } from './heartbeat.store';
import type { Heartbeat } from './heartbeat.store';
import type { Pulse } from './pulse.service';
import { SilentProviders } from './silent-providers';

/** Gathers what endpoints answered and writes it down, much at a time. */
@Injectable()
export class HeartbeatRecorder {
  /** Answered, of offers that nothing was held against. */
  private sound: string[] = [];
  private others: Heartbeat[] = [];
  private doubting = false;

  constructor(
    private readonly store: HeartbeatStore,
    private readonly publication: PublicationService,
    private readonly metrics: WatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly providers: SilentProviders,
  ) {}

  /** @param nowMs monotonic time */
  add(group: EndpointGroup, pulse: Pulse, nowMs = performance.now()): void {
    // A miss counts when it is written: by then it may turn out to be ours.
    if (pulse.outcome !== 'missed') this.metrics.heartbeats.inc({ outcome: pulse.outcome }, group.length);
    if (pulse.outcome === 'unknown') return;
    const answered = pulse.outcome !== 'missed';
    const givenUp = group.every(({ missed }) => missed >= MISSES_TO_SUSPEND);
    const [{ provider, endpoint }] = group;
    if (answered || !givenUp) this.providers.note(provider, endpoint, answered, nowMs);
    for (const offer of group) {
      if (answered && offer.sound) this.sound.push(offer.id);
      else this.others.push(heartbeatOf(offer, answered, pulse.reason));
    }
  }

  /**
   * Writes what was gathered, and has what changed published. What cannot be written is dropped: the next heartbeat tells it again.
   * @throws when the database is away
   */
  async flush(nowMs = performance.now()): Promise<void> {
    const { sound } = this;
    const others = this.judged(nowMs);
    this.sound = [];
    this.others = [];
    await this.store.saw(sound);
    const changes = await this.store.record(others);
    for (const change of changes) this.logger.info(change, 'heartbeat changed an offer');
    // One that is only looked at again is off the market as before.
    if (changes.some(({ effect }) => effect !== 'recheck')) void this.publication.publish();
  }

  /** What is to be written: no misses where nobody can be heard. */
  private judged(nowMs: number): Heartbeat[] {
    const misses = this.others.filter(({ answered }) => !answered).length;
    const isOurs = this.providers.isOurs(nowMs);
    if (isOurs !== this.doubting) {
      this.doubting = isOurs;
      if (isOurs)
        this.logger.warn('nearly no endpoint answers: taken for a fault of ours, and held against none');
      else
        this.logger.info('endpoints answer again, or have been silent for too long to be held against none');
    }
    if (misses > 0) this.metrics.heartbeats.inc({ outcome: isOurs ? 'unknown' : 'missed' }, misses);
    return isOurs ? this.others.filter(({ answered }) => answered) : this.others;
  }
}

function heartbeatOf(offer: DueOffer, answered: boolean, reason: string | undefined): Heartbeat {
  return { offerId: offer.id, version: offer.version, answered, ...(reason !== undefined && { reason }) };
}
