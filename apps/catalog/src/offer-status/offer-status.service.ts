import { Injectable } from '@nestjs/common';
import type { OfferStatus } from '@svc/contracts';
import { OfferHealthView } from '../watch/health/offer-health.view';
import { offerStatus } from './offer-status';
import type { OfferRow } from './offer-status';
import { OfferStatusStore } from './offer-status.store';

/** How offers stand, and how they have been doing of late. */
@Injectable()
export class OfferStatusService {
  constructor(
    private readonly store: OfferStatusStore,
    private readonly health: OfferHealthView,
  ) {}

  /** @returns undefined for an offer that is not there */
  async find(offerId: string): Promise<OfferStatus | undefined> {
    const row = await this.store.find(offerId);
    return row && this.statusOf(row);
  }

  /** A provider's, the newest first; at most a thousand, those that are withdrawn last. */
  async ofProvider(provider: string): Promise<OfferStatus[]> {
    return (await this.store.ofProvider(provider)).map((row) => this.statusOf(row));
  }

  private statusOf(row: OfferRow): OfferStatus {
    return offerStatus(row, new Date(), this.health.of(row.offerId));
  }
}
