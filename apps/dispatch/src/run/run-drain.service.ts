import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { within } from '@svc/time-limit';
import { DispatchConfig } from '../dispatch.config';
import { HoldService } from '../hold/hold.service';
import { RunRegistry } from './run-registry.service';
import { RunService } from './run.service';

/** Of the grace period, kept for telling those whose runs had to be broken off, and for giving back their places. */
const LAST_WORDS_MS = 3_000;

/** What becomes of a settlement that neither the queue nor billing has taken. */
const LOST = {
  post: 'settlement lost: its lease frees the hold, and the payer is charged nothing',
  void: 'settlement lost: its lease frees the hold',
  abandon: 'settlement lost: its lease frees the hold; what was charged already has to be refunded by hand',
};

/** At shutdown: lets the runs under way finish, as long as there is time, and their settlements arrive. */
@Injectable()
export class RunDrain implements BeforeApplicationShutdown {
  constructor(
    private readonly registry: RunRegistry,
    private readonly runs: RunService,
    private readonly holds: HoldService,
    private readonly config: DispatchConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** By now the transport takes no more runs, and what can be left to others at once has been. */
  async beforeApplicationShutdown(): Promise<void> {
    const { liveCount: live, undeliveredCount: undelivered } = this.registry;
    this.logger.info({ live, undelivered }, 'finishing the runs under way');
    const graceEndsMs = performance.now() + this.config.shutdownGraceMs;
    const patienceMs = Math.max(0, this.config.shutdownGraceMs - LAST_WORDS_MS);
    if (!(await within(patienceMs, this.registry.whenIdle()))) {
      this.logger.warn({ live: this.registry.liveCount }, 'breaking off what is still under way');
      this.runs.stopAll('shutdown');
      await within(LAST_WORDS_MS / 3, this.registry.whenIdle());
    }
    this.holds.handOver();
    // As long as there is time: what is taken by nobody is lost.
    const leftMs = graceEndsMs - LAST_WORDS_MS / 3 - performance.now();
    if (await within(Math.max(leftMs, LAST_WORDS_MS / 3), this.holds.drain())) return;
    for (const { holdId, outcome } of this.holds.pending)
      this.logger.error({ requestId: holdId, outcome }, LOST[outcome]);
  }
}
