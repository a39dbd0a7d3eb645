import type { Logger } from '@svc/observability';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Until a service has started there is nothing to finish: SIGTERM and SIGINT end the process. It sees to that itself, since the first
 * process of a container is not ended by a signal that it does not handle (pid_namespaces(7)).
 * @returns to be called when the service stops in order from now on
 */
export function endWhileStarting(logger: Logger): () => void {
  const onSignal = (signal: string) => {
    logger.info({ signal }, 'stopped before it had started');
    end(logger, 0);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => SIGNALS.forEach((signal) => process.off(signal, onSignal));
}

/**
 * Stops the process in order on SIGTERM and SIGINT: exit code 0 when `stop` is done, 1 when it fails or takes longer than
 * the grace period.
 */
export function stopOnSignals(logger: Logger, graceMs: number, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    // Not unref'd: a shutdown that hangs must still end.
    setTimeout(() => {
      logger.error('not stopped within the grace period');
      process.exit(1);
    }, graceMs);
    stop().then(
      () => {
        logger.info('stopped');
        end(logger, 0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        end(logger, 1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

/** Ends the process when its last lines are written, or cannot be: at the exit itself a full disk would be tried for ever. */
function end(logger: Logger, code: number): void {
  logger.flush(() => process.exit(code));
}
