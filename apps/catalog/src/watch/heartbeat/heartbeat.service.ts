import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { WATCH_SETTINGS } from '../tokens';
import type { WatchSettings } from '../tokens';
import { DueHeartbeatsStore } from './due-heartbeats.store';
import { groupByEndpoint } from './endpoint-groups';
import type { EndpointGroup } from './endpoint-groups';
import { HeartbeatRecorder } from './heartbeat.recorder';
import { PulseService } from './pulse.service';

/** How many endpoints this instance asks at once: a twentieth of ten thousand may be silent for dispatch's whole patience. */
const MOST_AT_ONCE = 128;
/** For how long answers are gathered, while more are due than may be asked at once, before the next are asked. */
const GATHER_MS = 50;
const LONGEST_TICK_MS = 1_000;
const TICKS_PER_INTERVAL = 10;

/** Asks the endpoints of certified offers for a sign of life, each instance those it took. */
@Injectable()
export class HeartbeatService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly job: PeriodicJob;
  private readonly asking = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly due: DueHeartbeatsStore,
    private readonly pulses: PulseService,
    private readonly recorder: HeartbeatRecorder,
    @Inject(WATCH_SETTINGS) settings: WatchSettings,
    @Inject(LOGGER) logger: Logger,
  ) {
    // Every question under way listens; Node suspects a leak from eleven on.
    setMaxListeners(MOST_AT_ONCE, this.stopping.signal);
    this.job = new PeriodicJob({
      intervalMs: Math.min(settings.heartbeatMs / TICKS_PER_INTERVAL, LONGEST_TICK_MS),
      work: () => this.round(),
      onError: (error) => logger.warn({ err: error }, 'heartbeats could not be taken or written'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  /** The database goes away after this. What was asked and not answered, or cannot be written, comes due again by itself. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.job.stop();
    await Promise.all(this.asking);
    await this.recorder.flush().catch(() => undefined);
  }

  /** Writes what was answered, and asks whoever is due, until nobody is. Answers that are not there yet are the next round's. */
  private async round(): Promise<void> {
    while (!this.job.stopped) {
      await this.recorder.flush();
      const room = MOST_AT_ONCE - this.asking.size;
      if (room > 0) {
        const due = await this.due.claim(room);
        for (const group of groupByEndpoint(due.filter(({ asked }) => asked))) this.ask(group);
        if (due.length < room) return;
      }
      await delay(GATHER_MS);
    }
  }

  private ask(group: EndpointGroup): void {
    const asked = this.pulses
      .of(group, this.stopping.signal)
      .then((pulse) => this.recorder.add(group, pulse))
      .finally(() => this.asking.delete(asked));
    this.asking.add(asked);
  }
}
