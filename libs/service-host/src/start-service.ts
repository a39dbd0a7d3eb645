import 'reflect-metadata';
import { NATS_LOGIN, loadConfig } from '@svc/config';
import type { ServiceConfig } from '@svc/config';
import { connectMessaging, followConnection } from '@svc/messaging';
import { createLogger, gatheredOutput } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { configOrExit } from './config-or-exit';
import { listenService } from './listen-service';
import type { ServiceDefinition, ServiceParts } from './listen-service';
import { endWhileStarting, stopOnSignals } from './stop-on-signals';
import { tellOfWaiting } from './waiting-notice';

/**
 * Starts a service the one way all of them start: configuration first (refused with clear lines, exit code 2), then NATS,
 * then the HTTP port and the RPC handlers. SIGTERM and SIGINT stop it in order: no new calls, what is under way
 * finishes within the grace period, then connections close.
 */
export async function startService<C extends ServiceConfig>(definition: ServiceDefinition<C>): Promise<void> {
  const config = configOrExit(definition.name, () => loadConfig(definition.config));
  const logger = createLogger(definition.name, config.logLevel, gatheredOutput());
  try {
    await run(definition, config, logger);
  } catch (error) {
    logger.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}

async function run<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
  config: C,
  logger: Logger,
): Promise<void> {
  const started = endWhileStarting(logger);
  const { natsUrl, natsUser, natsPassword } = config;
  const login = { natsUser, natsPassword, loginIsFrom: NATS_LOGIN };
  const messaging = await tellOfWaiting(connectMessaging(definition.name, { natsUrl, ...login }), logger);
  const parts = { config, logger, messaging };
  const { app, strategy, address } = await listenService(definition, parts);
  logger.info({ address, instanceId: messaging.instanceId }, 'listening');
  watchConnection(parts);
  stopOnSignals(logger, config.shutdownGraceMs, async () => {
    await definition.leave?.(app);
    await strategy.close();
    await app.close();
    await messaging.connection.drain();
  });
  started();
}

/** Tells of lost and regained connections. One that is closed for good (its user was removed) ends the process. */
function watchConnection({ logger, messaging }: ServiceParts<unknown>): void {
  followConnection(messaging.connection, {
    onLost: () => logger.warn('NATS connection lost'),
    onBack: () => logger.info('NATS connection back'),
  });
  void messaging.connection.closed().then((error) => {
    if (!error) return;
    logger.fatal({ err: error }, 'NATS connection closed for good');
    process.exit(1);
  });
}
