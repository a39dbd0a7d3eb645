import 'reflect-metadata';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ConfigError, loadConfig } from '@svc/config';
import type { ServiceConfig } from '@svc/config';
import { NatsRpcStrategy, connectMessaging } from '@svc/messaging';
import type { Messaging, RpcObserver } from '@svc/messaging';
import { Counter, METRICS_REGISTRY, NestPinoLogger, createLogger } from '@svc/observability';
import type { Logger, MetricsRegistry } from '@svc/observability';
import { Events } from 'nats';

export interface ServiceDefinition<C extends ServiceConfig> {
  /** The service's name: its NATS user's inbox prefix, its log lines, its metrics. */
  name: string;
  config: new () => C;
  /** The root module; made once configuration, logging and NATS stand. */
  module: (parts: ServiceParts<C>) => DynamicModule;
  /** The HTTP adapter, where the service's surface needs settings of its own. */
  adapter?: (config: C) => FastifyAdapter;
  /** Last settings on the application before it listens (hooks, OpenAPI). */
  prepare?: (app: NestFastifyApplication, parts: ServiceParts<C>) => Promise<void> | void;
}

export interface ServiceParts<C> {
  config: C;
  logger: Logger;
  messaging: Messaging;
}

/**
 * Starts a service the one way all of them start: configuration first (refused with clear lines, exit code 2), then NATS,
 * then the HTTP port and the RPC handlers. SIGTERM and SIGINT stop it in order: no new calls, what is under way
 * finishes within the grace period, then connections close.
 */
export async function startService<C extends ServiceConfig>(definition: ServiceDefinition<C>): Promise<void> {
  const config = configOrExit(definition);
  const logger = createLogger(definition.name, config.logLevel);
  try {
    await run(definition, config, logger);
  } catch (error) {
    logger.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}

function configOrExit<C extends ServiceConfig>(definition: ServiceDefinition<C>): C {
  try {
    return loadConfig(definition.config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${definition.name}: ${error.message}\n`);
    process.exit(2);
  }
}

async function run<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
  config: C,
  logger: Logger,
): Promise<void> {
  const messaging = await connectMessaging(definition.name, config);
  const parts = { config, logger, messaging };
  const app = await NestFactory.create<NestFastifyApplication>(
    definition.module(parts),
    definition.adapter?.(config) ?? new FastifyAdapter(),
    { logger: new NestPinoLogger(logger), abortOnError: false },
  );
  const strategy = new NatsRpcStrategy(messaging, observerOf(app, logger));
  // A configuration of its own: what is set for the HTTP surface must not touch the calls.
  app.connectMicroservice({ strategy }, { inheritAppConfig: false });
  await definition.prepare?.(app, parts);
  await app.startAllMicroservices();
  await app.listen(config.httpPort, config.httpHost);
  logger.info(
    { address: `http://${config.httpHost}:${config.httpPort}`, instanceId: messaging.instanceId },
    'listening',
  );
  watchConnection(parts);
  stopOnSignals(app, strategy, parts);
}

/** Counts and logs what the transport refuses, never what was in it. */
function observerOf(app: NestFastifyApplication, logger: Logger): RpcObserver {
  const refusals = new Counter({
    name: 'svc_messages_refused_total',
    help: 'Calls refused before their handler: not JSON, against the contract, or past their deadline.',
    labelNames: ['subject', 'reason'],
    registers: [app.get<MetricsRegistry>(METRICS_REGISTRY)],
  });
  return {
    refused: (subject, reason) => {
      refusals.inc({ subject, reason });
      logger.warn({ subject, reason }, 'message refused');
    },
    failed: (subject, error, { requestId }) =>
      logger.error({ subject, requestId, err: error }, 'handler failed'),
  };
}

/** Tells of lost and regained connections. One that is closed for good (its user was removed) ends the process. */
function watchConnection({ logger, messaging }: ServiceParts<unknown>): void {
  void (async () => {
    for await (const status of messaging.connection.status()) {
      if (status.type === Events.Disconnect) logger.warn('NATS connection lost');
      if (status.type === Events.Reconnect) logger.info('NATS connection back');
    }
  })();
  void messaging.connection.closed().then((error) => {
    if (!error) return;
    logger.fatal({ err: error }, 'NATS connection closed for good');
    process.exit(1);
  });
}

function stopOnSignals<C extends ServiceConfig>(
  app: NestFastifyApplication,
  strategy: NatsRpcStrategy,
  { config, logger, messaging }: ServiceParts<C>,
): void {
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    // Not unref'd: a shutdown that hangs must still end.
    setTimeout(() => {
      logger.error('work under way did not finish within the grace period');
      process.exit(1);
    }, config.shutdownGraceMs);
    void strategy
      .close()
      .then(() => app.close())
      .then(() => messaging.connection.drain())
      .catch((error: unknown) => logger.error({ err: error }, 'stopping failed'))
      .finally(() => {
        logger.info('stopped');
        process.exit(0);
      });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
