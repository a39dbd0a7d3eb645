import { Module } from '@nestjs/common';
import { LiveOffers } from './live-offers';

@Module({ providers: [LiveOffers], exports: [LiveOffers] })
export class OffersModule {}
