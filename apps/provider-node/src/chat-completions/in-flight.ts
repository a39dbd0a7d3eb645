import { Inject, Injectable } from '@nestjs/common';
import { Gauge, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { ProviderNodeConfig } from '../provider-node.config';
import { tooManyRequests } from './openai-error';

/** Counts the requests under way and refuses those past the limit. */
@Injectable()
export class InFlight {
  private count = 0;

  constructor(
    private readonly config: ProviderNodeConfig,
    @Inject(METRICS_REGISTRY) registry: MetricsRegistry,
  ) {
    const current = () => this.count;
    new Gauge({
      name: 'provider_requests_in_flight',
      help: 'Chat completions under way',
      registers: [registry],
      collect() {
        this.set(current());
      },
    });
  }

  /**
   * @returns to be called once when the request has ended
   * @throws OpenAiError 429 when as many are under way as the node takes
   */
  enter(): () => void {
    if (this.count >= this.config.maxConcurrent) throw tooManyRequests();
    this.count++;
    return () => this.count--;
  }
}
