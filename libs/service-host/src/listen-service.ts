import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceConfig } from '@svc/config';
import { NatsRpcStrategy } from '@svc/messaging';
import type { Messaging, RefusalOf, RpcObserver } from '@svc/messaging';
import { Counter, METRICS_REGISTRY, NestPinoLogger } from '@svc/observability';
import type { Logger, MetricsRegistry } from '@svc/observability';
import { closePromptly } from './connection-drain';

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
  /** What its callers are told of errors outside the catalogue, where that is more than that something went wrong. */
  refusalOf?: RefusalOf;
  /** What calls cannot do without, but those served `whilePaused`: while that is away, other instances get them. */
  callsNeed?: (app: NestFastifyApplication) => Needed;
  /** First of all when it is to stop, while it still does everything. */
  leave?: (app: NestFastifyApplication) => Promise<void>;
}

/** What may be away for a while, and tells of it. */
interface Needed {
  follow(follower: { onAway(reason: Error): void; onBack(): void }): void;
}

export interface ServiceParts<C> {
  config: C;
  logger: Logger;
  messaging: Messaging;
}

/** A service that listens. */
export interface ListeningService {
  app: NestFastifyApplication;
  /** Its HTTP server's, with the port that it got where any was asked for. */
  address: string;
  /** Closed before the application: no new calls, those under way finish. */
  strategy: NatsRpcStrategy;
}

/** Makes the application of a service and lets it listen: to its calls, then on its HTTP port. */
export async function listenService<C extends ServiceConfig>(
  definition: Pick<ServiceDefinition<C>, 'module' | 'adapter' | 'prepare' | 'refusalOf' | 'callsNeed'>,
  parts: ServiceParts<C>,
): Promise<ListeningService> {
  const { config, logger, messaging } = parts;
  const app = await NestFactory.create<NestFastifyApplication>(
    definition.module(parts),
    definition.adapter?.(config) ?? new FastifyAdapter(),
    { logger: new NestPinoLogger(logger), abortOnError: false },
  );
  closePromptly(app);
  const strategy = new NatsRpcStrategy(messaging, observerOf(app, logger), definition.refusalOf);
  // A configuration of its own: what is set for the HTTP surface must not touch the calls.
  app.connectMicroservice({ strategy }, { inheritAppConfig: false });
  await definition.prepare?.(app, parts);
  await app.startAllMicroservices();
  await app.listen(config.httpPort, config.httpHost);
  definition.callsNeed?.(app).follow({
    onAway: (err) => {
      logger.warn({ err }, 'calls are left to other instances');
      strategy.pause();
    },
    onBack: () => {
      logger.info('takes calls again');
      strategy.resume();
    },
  });
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, strategy, address: `http://${config.httpHost}:${port}` };
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
