import type { Msg, NatsConnection } from 'nats';

/** The status of what JetStream says of a stream, beside what it delivers. */
const STREAM_CONTROL = 100;

/** Hears what others say on a subject: not what the connection has to say of it, nor what a stream delivers there. */
export function listen(connection: NatsConnection, subject: string, take: (message: Msg) => void): void {
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (!error && !isFromStream(message) && hasReadableHeaders(message) && !isHeartbeat(message))
        take(message);
    },
  });
}

/**
 * Whether a message's headers can be read, if it has any. nats.js reads them when they are asked for, and throws for a name like `my key`.
 * Thrown where a message is taken, that would end the reading of the whole connection.
 */
export function hasReadableHeaders(message: Msg): boolean {
  try {
    void message.headers;
    return true;
  } catch {
    return false;
  }
}

/** Whether it only says that a stream has nothing to deliver, to whatever subject its reader named. */
function isHeartbeat({ headers }: Msg): boolean {
  return headers?.code === STREAM_CONTROL;
}

/**
 * Whether a stream delivered a message. Who may read a stream may have it delivered to any subject, also to one that it may not publish to;
 * JetStream then wants its own answer.
 */
export function isFromStream({ reply }: Pick<Msg, 'reply'>): boolean {
  return reply?.startsWith('$JS.') ?? false;
}
