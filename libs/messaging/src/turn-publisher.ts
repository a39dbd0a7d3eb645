import type { NatsConnection, PublishOptions } from 'nats';

interface Queued {
  subject: string;
  payload: Uint8Array;
  options: PublishOptions | undefined;
}

/**
 * Publishes at the end of the event-loop turn. nats.js flushes its buffer once per microtask, so publishing as
 * work is done costs one socket write a message; gathered to the end of the turn it is one write for all,
 * which was worth a quarter of the throughput when measured.
 */
export class TurnPublisher {
  private queue: Queued[] = [];

  constructor(private readonly connection: NatsConnection) {}

  /** @throws RangeError at once for a payload that the server would refuse, so that only its own sender fails */
  publish(subject: string, payload: Uint8Array | string, options?: PublishOptions): void {
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    const most = this.connection.info?.max_payload;
    if (most !== undefined && bytes.length > most) {
      throw new RangeError(`${bytes.length} bytes for ${subject} are more than the server takes (${most})`);
    }
    if (this.queue.length === 0) setImmediate(() => this.flush());
    this.queue.push({ subject, payload: bytes, options });
  }

  /** Hands everything queued to the connection now. */
  flush(): void {
    const queue = this.queue;
    this.queue = [];
    for (const { subject, payload, options } of queue) {
      try {
        this.connection.publish(subject, payload, options);
      } catch {
        // The connection is closing, or found a server that takes less. Whoever waits for an answer has a timer.
      }
    }
  }
}
