import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { MessagingModule } from '@svc/messaging';
import { ObservabilityModule } from '@svc/observability';
import type { ReadinessCheck } from '@svc/observability';
import type { ServiceParts } from '@svc/service-host';
import { ChatCompletionsModule } from './chat-completions/chat-completions.module';
import type { Clock } from './clock';
import { GatewayCoreModule } from './gateway-core.module';
import type { GatewayConfig } from './gateway.config';
import { NatsLink } from './messaging/nats-link';
import { ModelCatalog } from './models/model-catalog';
import { ModelsModule } from './models/models.module';

function readiness(nats: NatsLink, catalog: ModelCatalog): ReadinessCheck[] {
  return [
    { name: 'nats', check: () => ({ up: nats.connected }) },
    {
      name: 'models',
      check: () => ({ up: catalog.loaded, detail: catalog.loaded ? 'loaded' : 'not loaded yet' }),
    },
  ];
}

@Module({})
export class AppModule {
  static forParts({ config, logger, messaging }: ServiceParts<GatewayConfig>, clock: Clock): DynamicModule {
    return {
      module: AppModule,
      imports: [
        MessagingModule.forConnection(messaging),
        GatewayCoreModule.forConfig(config, clock),
        ObservabilityModule.forService({
          service: 'gateway',
          logger,
          imports: [ModelsModule],
          inject: [NatsLink, ModelCatalog],
          readiness,
        }),
        ModelsModule,
        ChatCompletionsModule,
      ],
    };
  }
}
