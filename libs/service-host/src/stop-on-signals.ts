import type { Logger } from '@svc/observability';

/**
 * Stops the process in order on SIGTERM and SIGINT: exit code 0 when `stop` is done, 1 when it takes longer than the
 * grace period.
 */
export function stopOnSignals(logger: Logger, graceMs: number, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    // Not unref'd: a shutdown that hangs must still end.
    setTimeout(() => {
      logger.error('work under way did not finish within the grace period');
      process.exit(1);
    }, graceMs);
    stop()
      .catch((error: unknown) => logger.error({ err: error }, 'stopping failed'))
      .finally(() => {
        logger.info('stopped');
        process.exit(0);
      });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
