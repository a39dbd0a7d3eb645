import { Module } from '@nestjs/common';
import { OfferHealthView } from './offer-health.view';

/** How offers are doing, for whoever shows it. */
@Module({ providers: [OfferHealthView], exports: [OfferHealthView] })
export class OfferHealthModule {}
