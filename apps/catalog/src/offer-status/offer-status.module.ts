import { Module } from '@nestjs/common';
import { OfferHealthModule } from '../watch/health/offer-health.module';
import { OfferStatusService } from './offer-status.service';
import { OfferStatusStore } from './offer-status.store';

/** How offers stand, for whoever tells of them. */
@Module({
  imports: [OfferHealthModule],
  providers: [OfferStatusStore, OfferStatusService],
  exports: [OfferStatusService],
})
export class OfferStatusModule {}
