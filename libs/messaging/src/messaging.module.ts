import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { Messaging } from './connect';
import { DurablePublisher } from './durable-publisher';
import { PeerClocks } from './peer-clocks';
import { RpcClient } from './rpc-client';
import { MESSAGING } from './tokens';

/** The process's NATS connection and what speaks over it; global. */
@Module({})
export class MessagingModule {
  static forConnection(messaging: Messaging): DynamicModule {
    return {
      module: MessagingModule,
      global: true,
      providers: [
        { provide: MESSAGING, useValue: messaging },
        {
          provide: RpcClient,
          useFactory: (logger: Logger) => new RpcClient(messaging, clocksOf(logger)),
          inject: [LOGGER],
        },
        {
          provide: DurablePublisher,
          useFactory: (logger: Logger) => new DurablePublisher(messaging, logger),
          inject: [LOGGER],
        },
      ],
      exports: [MESSAGING, RpcClient, DurablePublisher],
    };
  }
}

function clocksOf(logger: Logger): PeerClocks {
  return new PeerClocks((peer, aheadMs) => logger.warn({ peer, aheadMs }, 'clocks are apart'));
}
