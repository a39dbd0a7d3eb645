import type { Msg, NatsConnection } from 'nats';

/** Hears what others say on a subject: not what the connection has to say of it, nor what a stream delivers there. */
export function listen(connection: NatsConnection, subject: string, take: (message: Msg) => void): void {
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (!error && !isFromStream(message)) take(message);
    },
  });
}

/**
 * Whether a stream delivered a message. Who may read a stream may have it delivered to any subject, also to one that it may not publish to;
 * JetStream then wants its own answer.
 */
export function isFromStream({ reply }: Pick<Msg, 'reply'>): boolean {
  return reply?.startsWith('$JS.') ?? false;
}
