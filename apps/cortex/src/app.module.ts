import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { MessagingModule, natsReadiness } from '@svc/messaging';
import { ObservabilityModule } from '@svc/observability';
import type { ServiceParts } from '@svc/service-host';
import type { CortexConfig } from './cortex.config';
import { HealthModule } from './health/health.module';
import { LiveOffers } from './offers/live-offers';
import { OffersModule } from './offers/offers.module';
import { PlanModule } from './plan/plan.module';

@Module({})
export class AppModule {
  static forService({ config, logger, messaging }: ServiceParts<CortexConfig>): DynamicModule {
    return {
      module: AppModule,
      imports: [
        MessagingModule.forConnection(messaging),
        OffersModule,
        HealthModule,
        PlanModule.forEnvironment(config.environment),
        ObservabilityModule.forService({
          service: 'cortex',
          logger,
          imports: [OffersModule],
          inject: [LiveOffers],
          readiness: (offers: LiveOffers) => [natsReadiness(messaging), offers.readiness],
        }),
      ],
    };
  }
}
