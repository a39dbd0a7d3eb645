import { Module } from '@nestjs/common';
import { ProviderClient } from '../provider-client/provider-client.service';
import { SchemaChecks } from '../validation/schema-checks.service';
import { AttemptFactory } from './attempt.factory';
import { AttemptService } from './attempt.service';
import { HealthReporter } from './health-reporter.service';
import { OfferDirectory } from './offer-directory.service';
import { OfferLoad } from './offer-load.service';

/** Offers, and attempts at them. */
@Module({
  providers: [
    ProviderClient,
    SchemaChecks,
    OfferDirectory,
    OfferLoad,
    AttemptFactory,
    AttemptService,
    HealthReporter,
  ],
  exports: [AttemptService, OfferDirectory],
})
export class AttemptModule {}
