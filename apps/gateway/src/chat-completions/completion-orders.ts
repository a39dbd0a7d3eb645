import { Inject, Injectable } from '@nestjs/common';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { GatewayConfig } from '../gateway.config';
import { NatsLink } from '../messaging/nats-link';
import { ModelCatalog } from '../models/model-catalog';
import { DispatchLink } from '../runs/dispatch-link';
import { placeOrder } from './completion-order';
import type { CompletionOrder } from './completion-order';

/** Turns valid requests into orders, by what is known of models and surroundings now. */
@Injectable()
export class CompletionOrders {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly catalog: ModelCatalog,
    private readonly dispatch: DispatchLink,
    private readonly nats: NatsLink,
  ) {}

  /** @throws SvcError as `placeOrder` does */
  place(request: ChatCompletionRequest): CompletionOrder {
    return placeOrder(request, {
      findModel: (id) => this.catalog.find(id),
      environment: this.config.environment,
      assertReachable: () => this.nats.assertConnected(),
      maxPayloadBytes: () => this.dispatch.maxPayloadBytes,
    });
  }
}
