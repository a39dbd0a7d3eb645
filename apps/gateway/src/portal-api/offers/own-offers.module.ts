import { Module } from '@nestjs/common';
import { OwnOffersController } from './own-offers.controller';

/** What a provider needs to sign an offer, or another version of one. */
@Module({ controllers: [OwnOffersController] })
export class OwnOffersModule {}
