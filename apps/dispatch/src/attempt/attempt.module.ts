import { Module } from '@nestjs/common';
import { BreakerModule } from '../breaker/breaker.module';
import { PlacesModule } from '../places/places.module';
import { ProviderClientModule } from '../provider-client/provider-client.module';
import { SchemaChecks } from '../validation/schema-checks.service';
import { AttemptNotes } from './attempt-notes.service';
import { AttemptFactory } from './attempt.factory';
import { HealthReporter } from './health-reporter.service';
import { OfferCalls } from './offer-calls.service';
import { OfferDirectory } from './offer-directory.service';
import { OfferEntrance } from './offer-entrance.service';
import { OfferLoad } from './offer-load.service';
import { ReplyMemory } from './reply-memory.service';

/** Offers, and attempts at them. */
@Module({
  imports: [BreakerModule, PlacesModule, ProviderClientModule],
  providers: [
    SchemaChecks,
    ReplyMemory,
    OfferDirectory,
    OfferEntrance,
    OfferLoad,
    OfferCalls,
    AttemptFactory,
    AttemptNotes,
    HealthReporter,
  ],
  exports: [AttemptFactory, AttemptNotes, OfferCalls, OfferDirectory, OfferEntrance, OfferLoad],
})
export class AttemptModule {}
