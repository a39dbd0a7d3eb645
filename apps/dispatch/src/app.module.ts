import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { MessagingModule, natsReadiness } from '@svc/messaging';
import { ObservabilityModule } from '@svc/observability';
import type { ServiceParts } from '@svc/service-host';
import { DispatchConfig } from './dispatch.config';
import { DispatchMetrics } from './dispatch.metrics';
import { OfferDirectory } from './offers/offer-directory.service';
import { OffersModule } from './offers/offers.module';
import { ProbeModule } from './probe/probe.module';
import { RunModule } from './run/run.module';

/** Dispatch: takes runs, calls providers, settles, answers with frames; probes endpoints for the catalogue. */
@Module({})
export class AppModule {
  static forService({ config, logger, messaging }: ServiceParts<DispatchConfig>): DynamicModule {
    return {
      module: AppModule,
      // Configuration and metrics are every feature's.
      global: true,
      imports: [
        MessagingModule.forConnection(messaging),
        RunModule,
        ProbeModule,
        ObservabilityModule.forService({
          service: 'dispatch',
          logger,
          imports: [OffersModule],
          inject: [OfferDirectory],
          readiness: (offers: OfferDirectory) => [natsReadiness(messaging), offers.readiness],
        }),
      ],
      providers: [{ provide: DispatchConfig, useValue: config }, DispatchMetrics],
      exports: [DispatchConfig, DispatchMetrics],
    };
  }
}
