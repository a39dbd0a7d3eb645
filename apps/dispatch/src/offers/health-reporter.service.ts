import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { DISPATCH_SUBJECTS, HEALTH_REPORT_MS, MOST_OFFERS_A_REPORT } from '@svc/contracts';
import type { HealthReport } from '@svc/contracts';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { Breakers } from '../breaker/breakers.service';
import { DispatchMetrics } from '../dispatch.metrics';
import { OfferDirectory } from './offer-directory.service';
import { OfferLoad } from './offer-load.service';

/** Tells cortex and the catalogue once a second how the offers with traffic are doing. */
@Injectable()
export class HealthReporter implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly load: OfferLoad,
    private readonly offers: OfferDirectory,
    private readonly breakers: Breakers,
    private readonly metrics: DispatchMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.report(), HEALTH_REPORT_MS);
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
    this.metrics.keepOnly(isOffered);
    // What happened while nobody could be told is no news later.
    if (offers.length === 0 || connection.isClosed()) return;
    // About as many in each: what most of them have in common is seen in every part.
    const perPart = Math.ceil(offers.length / Math.ceil(offers.length / MOST_OFFERS_A_REPORT));
    for (let from = 0; from < offers.length; from += perPart) {
      const part: HealthReport = {
        instanceId,
        offers: offers.slice(from, from + perPart),
        ...(from > 0 && { continues: true }),
      };
      connection.publish(DISPATCH_SUBJECTS.health, JSON.stringify(part));
    }
  }
}
