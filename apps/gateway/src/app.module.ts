import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { MESSAGING, MessagingModule, natsReadiness } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { ObservabilityModule } from '@svc/observability';
import type { ReadinessCheck } from '@svc/observability';
import type { ServiceParts } from '@svc/service-host';
import { ChatCompletionsModule } from './chat-completions/chat-completions.module';
import { CLOCK } from './clock';
import type { Clock } from './clock';
import { GatewayCoreModule } from './gateway-core.module';
import { GatewayConfig } from './gateway.config';
import { throttlerOptions } from './http/limits/throttler-options';
import { MetricsListener } from './http/metrics-listener';
import { ShutdownState } from './http/shutdown-state';
import { ModelCatalog } from './models/model-catalog';
import { ModelsModule } from './models/models.module';
import { PortalModule } from './portal-api/portal.module';
import { ReceiptsModule } from './receipts/receipts.module';
import { SupplyModule } from './supply/supply.module';

function readiness(messaging: Messaging, catalog: ModelCatalog, shutdown: ShutdownState): ReadinessCheck[] {
  return [
    natsReadiness(messaging),
    {
      name: 'models',
      check: () => ({ up: catalog.loaded, detail: catalog.loaded ? 'loaded' : 'not loaded yet' }),
    },
    {
      name: 'serving',
      check: () => ({ up: !shutdown.isLeaving, detail: shutdown.isLeaving ? 'leaving' : 'ok' }),
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
          inject: [MESSAGING, ModelCatalog, ShutdownState],
          readiness,
          metricsElsewhere: config.metricsPort !== undefined,
        }),
        ThrottlerModule.forRootAsync({ inject: [GatewayConfig, CLOCK], useFactory: throttlerOptions }),
        ModelsModule,
        ChatCompletionsModule,
        ReceiptsModule,
        SupplyModule,
        PortalModule,
      ],
      providers: [MetricsListener],
    };
  }
}
