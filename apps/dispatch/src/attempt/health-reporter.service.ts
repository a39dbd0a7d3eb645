import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { DISPATCH_SUBJECTS } from '@svc/contracts';
import type { HealthReport } from '@svc/contracts';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { Breakers } from '../breaker/breakers.service';
import { OfferDirectory } from './offer-directory.service';
import { OfferLoad } from './offer-load.service';

const REPORT_MS = 1_000;

/** Tells cortex once a second how the offers with traffic are doing. */
@Injectable()
export class HealthReporter implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly load: OfferLoad,
    private readonly offers: OfferDirectory,
    private readonly breakers: Breakers,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.report(), REPORT_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private report(): void {
    const { connection, instanceId } = this.messaging;
    const offers = this.load.report();
    const isOffered = (offerId: string) => this.offers.find(offerId) !== undefined;
    this.load.keepOnly(isOffered);
    this.breakers.keepOnly(isOffered);
    // What happened while nobody could be told is no news later.
    if (offers.length === 0 || connection.isClosed()) return;
    const report: HealthReport = { instanceId, offers };
    connection.publish(DISPATCH_SUBJECTS.health, JSON.stringify(report));
  }
}
