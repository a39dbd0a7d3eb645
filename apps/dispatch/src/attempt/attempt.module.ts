import { Module } from '@nestjs/common';
import { BreakerModule } from '../breaker/breaker.module';
import { OffersModule } from '../offers/offers.module';
import { ProviderClientModule } from '../provider-client/provider-client.module';
import { SchemaChecks } from '../validation/schema-checks.service';
import { AttemptNotes } from './attempt-notes.service';
import { AttemptFactory } from './attempt.factory';
import { OfferCalls } from './offer-calls.service';
import { ReplyMemory } from './reply-memory.service';

/** Attempts: one offer asked for one reply. */
@Module({
  imports: [BreakerModule, OffersModule, ProviderClientModule],
  providers: [SchemaChecks, ReplyMemory, OfferCalls, AttemptFactory, AttemptNotes],
  exports: [AttemptFactory, AttemptNotes, OfferCalls],
})
export class AttemptModule {}
