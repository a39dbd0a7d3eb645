import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { isManagedOfferId } from '@svc/contracts';
import type { HealthReport } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { PublicationService } from '../../publication/publication.service';
import { isOurFault, judgeHealth } from './health-rules';
import type { HealthVerdict } from './health-rules';
import { HealthSuspensionStore } from './health-suspension.store';
import { OfferHealthView } from './offer-health.view';

/** The least time between canaries of an offer that doubts call for: clients cause them, and the provider serves them for nothing. */
const CHECK_EVERY_MS = 300_000;

/** Takes offers off the market that fail their clients, and has those looked at that may. Every instance hears the same and may decide the same; one of them writes it. */
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

  take(report: HealthReport): void {
    if (isOurFault(report)) return;
    const nowMs = performance.now();
    for (const offer of report.offers) {
      if (offer.succeeded + offer.failed === 0 && !offer.progressed) continue;
      if (isManagedOfferId(offer.offerId)) continue;
      this.health.record(offer, nowMs);
      this.judge(offer.offerId, nowMs);
    }
    if (this.waiting.size > 0) this.carrying ??= this.carryOut().finally(() => (this.carrying = undefined));
  }

  /** The database goes away after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.waiting.clear();
    await this.carrying;
  }

  private judge(offerId: string, nowMs: number): void {
    const evidence = this.health.evidence(offerId, nowMs);
    const verdict = evidence && judgeHealth(evidence);
    if (!verdict) return;
    if (verdict.act === 'check' && !this.health.mayCheck(offerId, CHECK_EVERY_MS, nowMs)) return;
    this.waiting.set(offerId, verdict);
  }

  /** What cannot be written now is decided anew by the next report: nothing is forgotten of such an offer. */
  private async carryOut(): Promise<void> {
    let changed = false;
    for (const [offerId, verdict] of this.waiting) {
      this.waiting.delete(offerId);
      try {
        changed = (await this.carry(offerId, verdict)) || changed;
      } catch (error) {
        this.logger.warn({ offerId, err: error }, 'offer could not be suspended');
      }
    }
    if (changed) void this.publication.publish();
  }

  /** @returns whether the market has changed */
  private async carry(offerId: string, verdict: HealthVerdict): Promise<boolean> {
    if (verdict.act === 'check') {
      const ordered = await this.store.check(offerId, CHECK_EVERY_MS);
      if (ordered) this.logger.info({ offerId, ...verdict }, 'canary ordered for what traffic says');
      return false;
    }
    const suspended = await this.store.suspend(offerId, verdict);
    this.health.forget(offerId);
    if (suspended) this.logger.warn({ offerId, ...verdict }, 'offer suspended');
    return suspended;
  }
}
