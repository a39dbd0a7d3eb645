import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamClient } from 'nats';
import type { Messaging } from './connect';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

/**
 * Publishes to a JetStream stream until the stream has acknowledged, however long NATS is away. Messages carry an id, so
 * that the stream drops repeats. What is still waiting is lost only with the process: callers keep a second net
 * (leases) for that.
 */
export class DurablePublisher {
  private readonly jetstream: JetStreamClient;
  private readonly waiting = new Set<Promise<void>>();

  constructor(private readonly messaging: Messaging) {
    this.jetstream = messaging.connection.jetstream();
  }

  /** How many messages have no acknowledgement yet. */
  get pending(): number {
    return this.waiting.size;
  }

  /** @returns resolved once the stream holds the message, or the connection is closed for good */
  publish(subject: string, messageId: string, payload: object): Promise<void> {
    const done = this.attempt(subject, messageId, JSON.stringify(payload)).finally(() =>
      this.waiting.delete(done),
    );
    this.waiting.add(done);
    return done;
  }

  /** Resolves when everything published so far is acknowledged. */
  async drain(): Promise<void> {
    await Promise.all(this.waiting);
  }

  private async attempt(subject: string, messageId: string, payload: string): Promise<void> {
    for (
      let waitMs = FIRST_RETRY_MS;
      !this.messaging.connection.isClosed();
      waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)
    ) {
      try {
        await this.jetstream.publish(subject, payload, { msgID: messageId, timeout: 2_000 });
        return;
      } catch {
        await delay(waitMs);
      }
    }
  }
}
