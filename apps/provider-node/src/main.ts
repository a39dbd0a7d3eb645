import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ConfigError } from '@svc/config';
import { createLogger } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { createApp } from './create-app';
import { loadProviderNodeConfig } from './provider-node.config';
import type { ProviderNodeConfig } from './provider-node.config';

function configOrExit(): ProviderNodeConfig {
  try {
    return loadProviderNodeConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`provider-node: ${error.message}\n`);
    process.exit(2);
  }
}

/** SIGTERM and SIGINT: no new requests, those under way finish within the grace period. */
function stopOnSignals(app: NestFastifyApplication, config: ProviderNodeConfig, logger: Logger): void {
  const stop = (signal: string) => {
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.warn('requests under way did not finish within the grace period');
      process.exit(1);
    }, config.shutdownGraceMs);
    app
      .close()
      .catch((error: unknown) => logger.error({ err: error }, 'stopping failed'))
      .finally(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

async function main(): Promise<void> {
  const config = configOrExit();
  const logger = createLogger('provider-node', config.logLevel);
  const app = await createApp(config, logger);
  await app.listen(config.httpPort, config.httpHost);
  stopOnSignals(app, config, logger);
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

void main();
