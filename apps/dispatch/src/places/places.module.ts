import { Module } from '@nestjs/common';
import { OfferPlaces } from './offer-places.service';

/** How many requests are under way at each offer, and who may be next. */
@Module({ providers: [OfferPlaces], exports: [OfferPlaces] })
export class PlacesModule {}
