import { Module } from '@nestjs/common';
import { PlacesModule } from '../places/places.module';
import { ProviderClientModule } from '../provider-client/provider-client.module';
import { SchemaChecks } from '../validation/schema-checks.service';
import { AttemptFactory } from './attempt.factory';
import { AttemptService } from './attempt.service';
import { HealthReporter } from './health-reporter.service';
import { OfferDirectory } from './offer-directory.service';
import { OfferLoad } from './offer-load.service';
import { ReplyMemory } from './reply-memory.service';

/** Offers, and attempts at them. */
@Module({
  imports: [PlacesModule, ProviderClientModule],
  providers: [
    SchemaChecks,
    ReplyMemory,
    OfferDirectory,
    OfferLoad,
    AttemptFactory,
    AttemptService,
    HealthReporter,
  ],
  exports: [AttemptFactory, AttemptService, OfferDirectory],
})
export class AttemptModule {}
