import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { MessagingModule, natsReadiness } from '@svc/messaging';
import { ObservabilityModule } from '@svc/observability';
import { DatabaseWatch } from '@svc/persistence';
import type { ServiceParts } from '@svc/service-host';
import { AuditModule } from './audit/audit.module';
import type { CatalogConfig } from './catalog.config';
import { CatalogueModule } from './catalogue/catalogue.module';
import { CertificationModule } from './certification/certification.module';
import { DatabaseModule } from './database/database.module';
import { MarketModule } from './market/market.module';
import { OfferModule } from './offer/offer.module';
import { OperationModule } from './operation/operation.module';
import { OverviewModule } from './overview/overview.module';
import { ProviderModule } from './provider/provider.module';
import { PublicationModule } from './publication/publication.module';
import { PublicationService } from './publication/publication.service';
import { SignatureModule } from './signature/signature.module';
import { SilentProviders } from './watch/heartbeat/silent-providers';
import { WatchModule } from './watch/watch.module';

@Module({})
export class AppModule {
  static forService({ config, logger, messaging }: ServiceParts<CatalogConfig>): DynamicModule {
    const database = DatabaseModule.forService(config, logger);
    const publication = PublicationModule.forService(config);
    const silentProviders = new SilentProviders(config.heartbeatMs);
    return {
      module: AppModule,
      imports: [
        MessagingModule.forConnection(messaging),
        database,
        AuditModule,
        publication,
        SignatureModule.forService(config),
        CatalogueModule,
        ProviderModule,
        OfferModule.forService(config),
        OperationModule,
        MarketModule,
        OverviewModule,
        CertificationModule.forService(config, silentProviders),
        WatchModule.forService(config, silentProviders),
        ObservabilityModule.forService({
          service: 'catalog',
          logger,
          imports: [database, publication],
          inject: [DatabaseWatch, PublicationService],
          readiness: (database: DatabaseWatch, published: PublicationService) => [
            natsReadiness(messaging),
            database.readiness,
            published.readiness,
          ],
        }),
      ],
    };
  }
}
