import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { Events } from 'nats';
import { PublicationService } from './publication.service';
import { REPUBLISH_MS } from './tokens';

const TICK_MS = 1_000;

/**
 * When views are published besides after a commit: at the start, when NATS is back, again soon after a failure, and at intervals in
 * case a view was lost unseen.
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
    void this.followReconnects();
  }

  /** The database goes away after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let waitedMs = this.republishMs; !signal.aborted; waitedMs += TICK_MS) {
      // Whoever asked for the last one: where it failed, it is tried again.
      if (!this.publication.succeeded || waitedMs >= this.republishMs) {
        await this.publication.publish();
        waitedMs = 0;
      }
      await delay(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async followReconnects(): Promise<void> {
    for await (const { type } of this.messaging.connection.status()) {
      if (this.stopping.signal.aborted) return;
      if (type === Events.Reconnect) await this.publication.publish();
    }
  }
}
