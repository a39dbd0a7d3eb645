import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { CertificationRunStore } from './certification-run.store';
import type { Rest } from './certification-run.store';
import { CertificationMetrics } from './certification.metrics';
import { CERTIFICATION_SETTINGS } from './certification.settings';
import type { CertificationSettings } from './certification.settings';
import { ProbeInterruptedError } from './probe-interrupted.error';
import { pauseBefore } from './probe-retries';
import { RunConductor } from './run-conductor.service';
import { RunLease } from './run-lease';
import { RunLostError } from './run-lost.error';

const RELEASE_AGAIN_MS = [100, 1_000, 5_000];

/**
 * Takes up runs that are queued, and those whose runner is gone; a limited number at once. What it was doing when it stops, it or another
 * goes on with.
 */
@Injectable()
export class CertificationRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  /** By id. */
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly job: PeriodicJob;
  private claiming: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: CertificationRunStore,
    private readonly conductor: RunConductor,
    private readonly metrics: CertificationMetrics,
    @Inject(CERTIFICATION_SETTINGS) private readonly settings: CertificationSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new PeriodicJob({
      intervalMs: settings.pollMs,
      atOnce: true,
      work: () => this.poll(),
      onError: (error) => this.logger.warn({ err: error }, 'open certifications could not be read'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  /** The database goes away after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.job.stop();
    await this.claiming.catch(() => undefined);
    await Promise.all(this.underWay.values());
  }

  /** Most of the time nothing is open, and counting costs a tenth of a claim. */
  private async poll(): Promise<void> {
    const open = await this.store.countOpen();
    this.metrics.open.set(open);
    if (open > 0) await this.claimMore();
  }

  /** One after the other: so that no more are taken than there is room for. */
  private claimMore(): Promise<void> {
    this.claiming = this.claiming.catch(() => undefined).then(() => this.fillRoom());
    return this.claiming;
  }

  private async fillRoom(): Promise<void> {
    while (this.underWay.size < this.settings.concurrency && !this.stopping.signal.aborted) {
      const id = await this.store.claim([...this.underWay.keys()]);
      if (id === undefined) return;
      const run = this.runOne(id).finally(() => {
        this.underWay.delete(id);
        // There is room again: looks at once instead of at the next poll.
        void this.claimMore().catch(() => undefined);
      });
      this.underWay.set(id, run);
    }
  }

  /** Never rejects. */
  private async runOne(id: string): Promise<void> {
    const lease = new RunLease(() => this.store.renew(id), this.settings.leaseMs);
    const signal = AbortSignal.any([this.stopping.signal, lease.signal]);
    // Every request under way listens.
    setMaxListeners(0, signal);
    try {
      await this.conductor.conduct(id, signal);
    } catch (error) {
      if (error instanceof RunLostError || lease.signal.aborted) {
        this.logger.info({ certificationId: id }, 'certification is not run here any more');
      } else {
        await this.postpone(id, error);
      }
    } finally {
      await lease.stop();
    }
  }

  private async postpone(id: string, error: unknown): Promise<void> {
    const isStopping = this.stopping.signal.aborted;
    if (error instanceof ProbeInterruptedError && error.interruption === 'busy') {
      this.logger.info(
        { certificationId: id },
        'the endpoint is too busy to be certified anew; tried again later',
      );
      return this.release(id, { afterMs: this.settings.busyRetryMs, wasBusy: true });
    }
    if (error instanceof ProbeInterruptedError && error.interruption === 'passing') {
      const afterMs = pauseBefore(error, this.settings.passingRetryMs);
      this.logger.info(
        { certificationId: id, afterMs },
        'the endpoint could not answer for now, and is asked again',
      );
      return this.release(id, { afterMs });
    }
    if (!isStopping) {
      this.metrics.postponed.inc();
      const words = { certificationId: id, err: error };
      if (error instanceof ProbeInterruptedError) this.logger.warn(words, 'certification postponed');
      else this.logger.error(words, 'certification failed here, and is tried again');
    }
    await this.release(id, { afterMs: isStopping ? 0 : this.retryMsAfter(error) });
  }

  /** A line takes longer to come back than dispatch. */
  private retryMsAfter(error: unknown): number {
    const isCutOff = error instanceof ProbeInterruptedError && error.interruption === 'cut_off';
    return isCutOff ? this.settings.passingRetryMs : this.settings.retryMs;
  }

  /** The database may be what was away. Should it stay away, the run's lease runs out. */
  private async release(id: string, rest: Rest): Promise<void> {
    for (const againMs of RELEASE_AGAIN_MS) {
      try {
        return await this.store.release(id, rest);
      } catch {
        await delay(againMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
    await this.store.release(id, rest).catch((error: unknown) => {
      this.logger.warn({ certificationId: id, err: error }, 'certification could not be released');
    });
  }
}
