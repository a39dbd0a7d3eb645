import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { MetricsRegistry } from './metrics';
import { METRICS_REGISTRY } from './tokens';

/** The part of a Fastify reply that is used here, so that this lib needs no HTTP server of its own. */
interface TextReply {
  header(name: string, value: string): TextReply;
  send(payload: string): unknown;
}

/** Metrics, the same for every service. */
@Controller()
export class MetricsController {
  constructor(@Inject(METRICS_REGISTRY) private readonly registry: MetricsRegistry) {}

  @Get('metrics')
  async metrics(@Res() reply: TextReply): Promise<void> {
    const text = await this.registry.metrics();
    reply.header('content-type', this.registry.contentType).send(text);
  }
}
