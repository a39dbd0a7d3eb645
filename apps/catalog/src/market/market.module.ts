import { Module } from '@nestjs/common';
import { OfferHealthModule } from '../watch/health/offer-health.module';
import { MarketController } from './market.controller';
import { MarketService } from './market.service';
import { MarketStore } from './market.store';

/** What everybody may know of the offers that are live. */
@Module({
  imports: [OfferHealthModule],
  controllers: [MarketController],
  providers: [MarketService, MarketStore],
})
export class MarketModule {}
