import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { WATCH_SETTINGS } from '../tokens';
import type { WatchSettings } from '../tokens';
import { WatchMetrics } from '../watch.metrics';
import { renewalRules } from './canary-rules';
import { DueCertificationsStore } from './due-certifications.store';

const SHORTEST_TICK_MS = 50;
const LONGEST_CANARY_TICK_MS = 1_000;
const LONGEST_RENEWAL_TICK_MS = 60_000;
/** How fine a time that is waited for is divided. */
const TICKS = 100;

/** Has offers certified by the clock: canaries, and anew what is nearly over. */
@Injectable()
export class CertificationSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly jobs: readonly PeriodicJob[];

  constructor(
    store: DueCertificationsStore,
    metrics: WatchMetrics,
    @Inject(WATCH_SETTINGS) { canaryMs, certificationTtlMs }: WatchSettings,
    @Inject(LOGGER) logger: Logger,
  ) {
    const jobOf = (kind: 'canary' | 'full', intervalMs: number, order: () => Promise<number>) =>
      new PeriodicJob({
        intervalMs: Math.max(intervalMs, SHORTEST_TICK_MS),
        // What came due while the catalogue was down has waited for long enough.
        atOnce: true,
        work: async () => metrics.ordered.inc({ kind }, await order()),
        onError: (error) => logger.warn({ kind, err: error }, 'due certifications could not be ordered'),
      });
    const renewalTickMs = renewalRules(certificationTtlMs).aheadMs / TICKS;
    this.jobs = [
      jobOf('canary', Math.min(canaryMs / TICKS, LONGEST_CANARY_TICK_MS), () => store.orderCanaries()),
      jobOf('full', Math.min(renewalTickMs, LONGEST_RENEWAL_TICK_MS), () => store.orderRenewals()),
    ];
  }

  onApplicationBootstrap(): void {
    for (const job of this.jobs) job.start();
  }

  /** The database goes away after this. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.stop()));
  }
}
