import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { CLOCK } from './clock';
import type { Clock } from './clock';
import { GatewayConfig } from './gateway.config';
import { RequestJournal } from './http/request-journal';
import { ShutdownState } from './http/shutdown-state';
import { NatsLink } from './messaging/nats-link';
import { ServiceClient } from './messaging/service-client';

/** What every feature of the gateway may need; global. */
@Global()
@Module({})
export class GatewayCoreModule {
  static forConfig(config: GatewayConfig, clock: Clock): DynamicModule {
    return {
      module: GatewayCoreModule,
      providers: [
        { provide: GatewayConfig, useValue: config },
        { provide: CLOCK, useValue: clock },
        NatsLink,
        RequestJournal,
        ServiceClient,
        ShutdownState,
      ],
      exports: [GatewayConfig, CLOCK, NatsLink, RequestJournal, ServiceClient, ShutdownState],
    };
  }
}
