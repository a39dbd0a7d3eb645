import type { NatsConnection, PublishOptions } from 'nats';

interface Queued {
  subject: string;
  payload: Uint8Array | string;
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

  publish(subject: string, payload: Uint8Array | string, options?: PublishOptions): void {
    if (this.queue.length === 0) setImmediate(() => this.flush());
    this.queue.push({ subject, payload, options });
  }

  /** Hands everything queued to the connection now. */
  flush(): void {
    const queue = this.queue;
    this.queue = [];
    if (this.connection.isClosed()) return;
    for (const { subject, payload, options } of queue) this.connection.publish(subject, payload, options);
  }
}
