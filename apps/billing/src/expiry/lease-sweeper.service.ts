import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PeriodicJob } from '@svc/service-host';
import { BillingConfig } from '../billing.config';
import { ClockJumps } from '../database/clock-jumps';
import { failpoint } from '../failpoint';
import { ResolutionService } from '../hold/resolution.service';
import { ExpiryGrace } from './expiry-grace.service';
import { LapsedHoldStore } from './lapsed-hold.store';

const SWEEPS_PER_LEASE = 4;
const PAGE = 2_000;

/** Frees holds whose dispatch has gone silent, so that no money stays held for nobody. */
@Injectable()
export class LeaseSweeper implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly intervalMs: number;
  private readonly job: PeriodicJob;
  private readonly jumps = new ClockJumps();

  constructor(
    config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: LapsedHoldStore,
    private readonly holds: ResolutionService,
    private readonly grace: ExpiryGrace,
  ) {
    this.intervalMs = config.holdLeaseMs / SWEEPS_PER_LEASE;
    this.job = new PeriodicJob({
      intervalMs: this.intervalMs,
      work: (lateMs) => this.run(lateMs),
      onError: (error) => this.logger.warn({ err: error }, 'lapsed holds not swept'),
    });
  }

  onApplicationBootstrap(): void {
    this.job.start();
  }

  onModuleDestroy(): void {
    void this.job.stop();
  }

  onApplicationShutdown(): Promise<void> {
    return this.job.stop();
  }

  /** Expires what has lapsed, unless the silence may be our own doing. @returns how many holds it freed */
  async sweep(): Promise<number> {
    let expired = 0;
    for (;;) {
      const askedMs = performance.now();
      const { at, holds: lapsed } = await this.store.lapsed(PAGE);
      // Leases lapse at once where the clock is set forward, or a suspended machine goes on: nobody was late with a renewal.
      if (this.hasJumped(at, askedMs)) this.grace.restart();
      if (!(await this.grace.isOver())) return expired;
      if (performance.now() > askedMs + this.intervalMs) {
        // Stood still since it looked: as below.
        this.grace.restart();
        return expired;
      }
      if (lapsed.length > 0) failpoint('sweeper.found');
      const outcomes = await Promise.all(lapsed.map((hold) => this.holds.expire(hold)));
      const freed = outcomes.filter(Boolean).length;
      expired += freed;
      if (freed > 0) failpoint('sweeper.expired');
      if (lapsed.length < PAGE || freed === 0) return expired;
    }
  }

  /** Whether the database's clock went further than time did since it was last seen, by as much as there is between two sweeps. */
  private hasJumped(at: Date, askedMs: number): boolean {
    const jumpMs = this.jumps.since(at, askedMs);
    if (jumpMs <= this.intervalMs) return false;
    const message = "the database's clock was set forward, or this machine was suspended";
    this.logger.warn({ jumpMs: Math.round(jumpMs) }, message);
    return true;
  }

  private async run(lateMs: number): Promise<void> {
    // A process that stood still was deaf to renewals as well.
    if (lateMs > this.intervalMs) this.grace.restart();
    const expired = await this.sweep();
    if (expired > 0) this.logger.warn({ expired }, 'holds expired');
  }
}
