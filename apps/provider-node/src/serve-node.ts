import 'reflect-metadata';
import { createLogger, gatheredOutput } from '@svc/observability';
import { stopOnSignals } from '@svc/service-host';
import { createApp } from './create-app';
import type { ProviderNodeConfig } from './provider-node.config';

/** Runs a node until it is told to stop; resolves when it listens. */
export async function serveNode(config: ProviderNodeConfig): Promise<void> {
  const logger = createLogger('provider-node', config.logLevel, gatheredOutput());
  const app = await createApp(config, logger);
  await app.listen(config.httpPort, config.httpHost);
  stopOnSignals(logger, config.shutdownGraceMs, () => app.close());
  logger.info(
    {
      provider: config.providerName,
      address: await app.getUrl(),
      models: config.models,
      backend: config.upstreamUrl === undefined ? 'demo-engine' : 'upstream',
    },
    config.upstreamUrl === undefined
      ? 'listening; the demo engine answers: every reply is SIMULATED, no model is behind it'
      : 'listening; requests are forwarded to the upstream',
  );
}
