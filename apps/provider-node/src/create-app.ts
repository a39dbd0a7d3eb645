import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestPinoLogger } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { closePromptly } from '@svc/service-host';
import { AppModule } from './app.module';
import type { ProviderNodeConfig } from './provider-node.config';

const MAX_BODY_BYTES = 8 * 1_048_576;
const REQUEST_TIMEOUT_MS = 60_000;

/** The application, not yet listening. Closing it lets the requests under way finish. */
export async function createApp(config: ProviderNodeConfig, logger: Logger): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ bodyLimit: MAX_BODY_BYTES, requestTimeout: REQUEST_TIMEOUT_MS });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forConfig(config, logger), adapter, {
    logger: new NestPinoLogger(logger),
    abortOnError: false,
  });
  closePromptly(app);
  return app;
}
