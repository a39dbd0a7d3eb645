import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { BillingConfig } from '../billing.config';
import { failpoint } from '../failpoint';
import { SettlementService } from '../hold/settlement.service';
import { BILLING_CONFIG } from '../tokens';
import { ExpiryGrace } from './expiry-grace.service';
import { LapsedHoldStore } from './lapsed-hold.store';

const SWEEPS_PER_LEASE = 4;
const PAGE = 2_000;

/** Frees holds whose dispatch has gone silent, so that no money stays held for nobody. */
@Injectable()
export class LeaseSweeper implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly intervalMs: number;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    @Inject(BILLING_CONFIG) config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: LapsedHoldStore,
    private readonly settlement: SettlementService,
    private readonly grace: ExpiryGrace,
  ) {
    this.intervalMs = config.holdLeaseMs / SWEEPS_PER_LEASE;
  }

  onApplicationBootstrap(): void {
    this.schedule();
  }

  onModuleDestroy(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeping;
  }

  /** Expires what has lapsed, unless the silence may be our own doing. @returns how many holds it freed */
  async sweep(): Promise<number> {
    let expired = 0;
    for (;;) {
      const askedMs = performance.now();
      if (!(await this.grace.isOver())) return expired;
      const lapsed = await this.store.lapsed(PAGE);
      if (performance.now() > askedMs + this.intervalMs) {
        // Stood still since the grace was found to be over: as below.
        this.grace.restart();
        return expired;
      }
      if (lapsed.length > 0) failpoint('sweeper.found');
      const outcomes = await Promise.all(lapsed.map((hold) => this.settlement.expire(hold)));
      const freed = outcomes.filter(Boolean).length;
      expired += freed;
      if (freed > 0) failpoint('sweeper.expired');
      if (lapsed.length < PAGE || freed === 0) return expired;
    }
  }

  private schedule(): void {
    const dueMs = performance.now() + this.intervalMs;
    this.timer = setTimeout(() => {
      // A process that stood still was deaf to renewals as well.
      if (performance.now() > dueMs + this.intervalMs) this.grace.restart();
      this.sweeping = this.run();
    }, this.intervalMs);
  }

  private async run(): Promise<void> {
    try {
      const expired = await this.sweep();
      if (expired > 0) this.logger.warn({ expired }, 'holds expired');
    } catch (error) {
      this.logger.warn({ err: error }, 'lapsed holds not swept');
    }
    if (!this.stopped) this.schedule();
  }
}
