import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { MESSAGING, followConnection } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { PublicationService } from './publication.service';
import { REPUBLISH_MS } from './tokens';

const TICK_MS = 1_000;
/** Offers that end one after the other are published together. */
const SHORTEST_WAIT_MS = 20;

/**
 * When views are published besides after a commit: at the start, when NATS is back, again soon after a failure, when an offer or
 * certification ends, and at intervals in case a view was lost unseen.
 */
@Injectable()
export class PublicationSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private rounds: Promise<void> | undefined;

  constructor(
    private readonly publication: PublicationService,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(REPUBLISH_MS) private readonly republishMs: number,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds = this.run();
    followConnection(this.messaging.connection, { onBack: () => this.publishAnew() });
  }

  /** The database goes away after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let wholeAtMs = performance.now(); !signal.aborted;) {
      const isWhole = performance.now() >= wholeAtMs;
      // Whoever asked for the last one: where it failed, it is tried again.
      if (isWhole || !this.publication.succeeded || this.publication.nextMomentInMs <= 0) {
        await this.publication.publish({ fromScratch: isWhole });
        if (isWhole) wholeAtMs = performance.now() + this.republishMs;
      }
      await delay(this.waitMs(wholeAtMs), undefined, { signal }).catch(() => undefined);
    }
  }

  private waitMs(wholeAtMs: number): number {
    if (!this.publication.succeeded) return TICK_MS;
    const dueInMs = Math.min(wholeAtMs - performance.now(), this.publication.nextMomentInMs);
    return Math.max(SHORTEST_WAIT_MS, Math.min(TICK_MS, dueInMs));
  }

  private async publishAnew(): Promise<void> {
    if (!this.stopping.signal.aborted) await this.publication.publish({ fromScratch: true });
  }
}
