import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { MESSAGING, followConnection } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { BillingConfig } from '../billing.config';
import { HoldQueueService } from '../hold-queue/hold-queue.service';
import { LedgerService } from '../ledger/ledger.service';

/**
 * Says whether a lapsed lease may be held against its hold. It may not while we ourselves could be why no renewal came:
 * while NATS is away, for one lease after a start, after the database or NATS was away, its clock was set forward, or this process
 * stood still, and not before the settlements that waited in the queue meanwhile are applied.
 */
@Injectable()
export class ExpiryGrace implements OnApplicationBootstrap {
  private untilMs = Infinity;
  /** Nobody can renew or settle then, however long it lasts. */
  private natsAway = false;

  constructor(
    private readonly config: BillingConfig,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly ledger: LedgerService,
    private readonly queue: HoldQueueService,
  ) {}

  onApplicationBootstrap(): void {
    this.restart();
    this.ledger.onConnected(() => this.restart());
    followConnection(this.messaging.connection, {
      onLost: () => (this.natsAway = true),
      onBack: () => this.natsBack(),
    });
  }

  /** @throws LedgerUnavailableError when the database is away: then nothing may be expired either */
  async isOver(): Promise<boolean> {
    // A connection lost unnoticed is found here, before anything is expired over it.
    await this.ledger.ensureConnected();
    return !this.natsAway && this.queue.drained && performance.now() >= this.untilMs;
  }

  /** Gives every running dispatch one lease time from now to renew its holds. */
  restart(): void {
    this.untilMs = performance.now() + this.config.holdLeaseMs;
  }

  private natsBack(): void {
    this.natsAway = false;
    this.restart();
  }
}
