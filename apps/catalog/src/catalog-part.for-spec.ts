import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { MessagingModule } from '@svc/messaging';
import { ObservabilityModule, createLogger } from '@svc/observability';
import { listenService } from '@svc/service-host';
import type { ListeningService } from '@svc/service-host';
import type { PrivateNats } from '@svc/testing';
import { AuditModule } from './audit/audit.module';
import type { CatalogConfig } from './catalog.config';
import { DatabaseModule } from './database/database.module';
import { PublicationService } from './publication/publication.service';

@Module({})
class PartRoot {}

@Module({})
class StandInPublication {}

/**
 * Starts an instance of the catalogue with nothing in it but one part.
 * @param onPublish called in the place of each publication
 */
export async function startCatalogPart(
  nats: PrivateNats,
  config: CatalogConfig,
  part: DynamicModule,
  onPublish: () => void,
): Promise<ListeningService> {
  const messaging = await nats.connectAs('catalog');
  const logger = createLogger('catalog', 'silent');
  const publish = () => {
    onPublish();
    return Promise.resolve(true);
  };
  const root = {
    module: PartRoot,
    imports: [
      MessagingModule.forConnection(messaging),
      DatabaseModule.forService(config, logger),
      AuditModule,
      {
        module: StandInPublication,
        global: true,
        providers: [{ provide: PublicationService, useValue: { publish } }],
        exports: [PublicationService],
      },
      part,
      ObservabilityModule.forService({ service: 'catalog', logger, readiness: () => [] }),
    ],
  };
  return listenService({ module: () => root }, { config, logger, messaging });
}
