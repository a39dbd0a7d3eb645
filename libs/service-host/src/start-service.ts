import 'reflect-metadata';
import { ConfigError, loadConfig } from '@svc/config';
import type { ServiceConfig } from '@svc/config';
import { connectMessaging } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { Events } from 'nats';
import { listenService } from './listen-service';
import type { ListeningService, ServiceDefinition, ServiceParts } from './listen-service';

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
  const service = await listenService(definition, parts);
  logger.info(
    { address: `http://${config.httpHost}:${config.httpPort}`, instanceId: messaging.instanceId },
    'listening',
  );
  watchConnection(parts);
  stopOnSignals(service, parts);
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
  { app, strategy }: ListeningService,
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
