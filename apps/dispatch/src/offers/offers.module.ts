import { Module } from '@nestjs/common';
import { BreakerModule } from '../breaker/breaker.module';
import { PlacesModule } from '../places/places.module';
import { ProviderClientModule } from '../provider-client/provider-client.module';
import { HealthReporter } from './health-reporter.service';
import { OfferDirectory } from './offer-directory.service';
import { OfferEntrance } from './offer-entrance.service';
import { OfferLoad } from './offer-load.service';

/** The offers that there are, who may be asked now, and how each is doing. */
@Module({
  imports: [BreakerModule, PlacesModule, ProviderClientModule],
  providers: [OfferDirectory, OfferEntrance, OfferLoad, HealthReporter],
  exports: [OfferDirectory, OfferEntrance, OfferLoad],
})
export class OffersModule {}
