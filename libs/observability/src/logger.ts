import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import type { DestinationStream, Logger, LoggerOptions } from 'pino';

export type { Logger } from 'pino';

/** A write costs more than the lines in it: a service under load gathers this many bytes, or what has come within this time. */
const GATHERED_BYTES = 8 * 1024;
const GATHERED_MS = 100;
/** What may wait while nothing can be written; what comes beyond it is lost. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * A logger that writes one JSON line an event to standard output. Callers log ids, codes and figures; never
 * a prompt, a completion or a key. What looks like a credential is redacted all the same.
 * @param service the service's name, on every line
 * @param level pino's level name
 * @param destination where lines go; standard output, each as it comes
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['authorization', '*.authorization', 'apiKey', '*.apiKey', 'password', '*.password'],
      censor: '[redacted]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Standard output for services, or another file: lines are gathered for up to 100 ms, and leave at once with a fatal one and when the
 * process exits. One that is killed takes its last lines with it.
 */
export function gatheredOutput(fd = 1): ReturnType<typeof pino.destination> {
  const output = pino.destination({
    fd,
    sync: false,
    minLength: GATHERED_BYTES,
    maxLength: MOST_WAITING_BYTES,
  });
  // Its own `periodicFlush` has a thread write nothing, ten times a second, for as long as there is nothing to write.
  let isDue = true;
  const flushing = setTimeout(() => {
    isDue = false;
    // Throws where it was destroyed, and does nothing while it writes.
    if (!(output as { destroyed?: boolean }).destroyed) output.flush();
  }, GATHERED_MS).unref();
  const flushSoon = () => {
    if (isDue) return;
    isDue = true;
    flushing.refresh();
  };
  /** Since the end of the last write. */
  let hasCome = false;
  const write = output.write.bind(output);
  output.write = (line) => {
    hasCome = true;
    flushSoon();
    return write(line);
  };
  // A log on a full disk must not end a service: what waits is tried again. At the exit it would be for ever.
  let isWritten = true;
  output.on('error', () => {
    isWritten = false;
    flushSoon();
  });
  output.on('write', (bytes: number) => {
    isWritten = true;
    // What came while it was writing may have missed its moment.
    if (bytes > 0 || hasCome) flushSoon();
    hasCome = false;
  });
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => isWritten && flushSync();
  return output;
}

/** Nest's own messages through the same JSON lines. */
export class NestPinoLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    // Nest tells every route and module at start; that is detail, not news.
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error({ context, stack }, String(message));
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }
}
