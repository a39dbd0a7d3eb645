import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { GatewayConfig } from '../gateway.config';

/** As on the public port, where `HTTP_MAX_CONNECTIONS` may keep who asks out: that would have a gateway that is full taken for a dead one. */
const LIVE_PATH = '/health/live';

/**
 * Shows metrics on a port of their own, when there is one: the public port is everybody's, they are not. And that the process answers.
 */
@Injectable()
export class MetricsListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(METRICS_REGISTRY) private readonly registry: MetricsRegistry,
  ) {}

  /** Where it listens; undefined when metrics have no port of their own. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, httpHost } = this.config;
    if (metricsPort === undefined) return;
    this.server = createServer(({ method, url }, reply) => {
      if (method === 'GET' && url === '/metrics') void this.show(reply);
      else if (method === 'GET' && url === LIVE_PATH) reply.writeHead(200).end();
      else reply.writeHead(404).end();
    });
    this.server.listen(metricsPort, httpHost);
    await once(this.server, 'listening');
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async show(reply: ServerResponse): Promise<void> {
    try {
      const text = await this.registry.metrics();
      reply.writeHead(200, { 'content-type': this.registry.contentType }).end(text);
    } catch {
      reply.writeHead(500).end();
    }
  }
}
