import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { HealthReport } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PublicationService } from '../../publication/publication.service';
import { isOurFault, judgeHealth } from './health-rules';
import type { HealthVerdict } from './health-rules';
import { HealthSuspensionStore } from './health-suspension.store';
import { OfferHealthView } from './offer-health.view';

/** Takes offers off the market that fail their clients. Every instance hears the same and may decide the same; one of them writes it. */
@Injectable()
export class HealthSuspension implements BeforeApplicationShutdown {
  private readonly waiting = new Map<string, HealthVerdict>();
  private carrying: Promise<void> | undefined;

  constructor(
    private readonly health: OfferHealthView,
    private readonly store: HealthSuspensionStore,
    private readonly publication: PublicationService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  take(report: HealthReport, nowMs = performance.now()): void {
    if (isOurFault(report)) return;
    for (const offer of report.offers) {
      if (offer.succeeded + offer.failed === 0) continue;
      this.health.record(offer, nowMs);
      const verdict = judgeHealth(this.health.figures(offer.offerId, nowMs));
      if (verdict) this.waiting.set(offer.offerId, verdict);
    }
    if (this.waiting.size > 0) this.carrying ??= this.carryOut().finally(() => (this.carrying = undefined));
  }

  /** The database goes away after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.waiting.clear();
    await this.carrying;
  }

  /** What cannot be written now is decided anew by the next report: nothing is forgotten of such an offer. */
  private async carryOut(): Promise<void> {
    let changed = false;
    for (const [offerId, verdict] of this.waiting) {
      this.waiting.delete(offerId);
      try {
        const suspended = await this.store.suspend(offerId, verdict);
        this.health.forget(offerId);
        if (!suspended) continue;
        changed = true;
        this.logger.warn({ offerId, ...verdict }, 'offer suspended');
      } catch (error) {
        this.logger.warn({ offerId, err: error }, 'offer could not be suspended');
      }
    }
    if (changed) void this.publication.publish();
  }
}
