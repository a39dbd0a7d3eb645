import type { Logger } from '@svc/observability';

const PATIENCE_MS = 5_000;

/**
 * Says so when the first connection to NATS takes long: it is tried for ever, and without a word a wrong address, or a server without the
 * TLS that was asked for, looks like a hang.
 */
export function tellOfWaiting<T>(connecting: Promise<T>, logger: Logger): Promise<T> {
  const notice = setTimeout(
    () =>
      logger.warn(
        'NATS does not answer, or not with the TLS that NATS_URL asks for (tls://); it is asked again until it does',
      ),
    PATIENCE_MS,
  );
  return connecting.finally(() => clearTimeout(notice));
}
