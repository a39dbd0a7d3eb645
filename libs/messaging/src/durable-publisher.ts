import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@svc/observability';
import type { JetStreamClient } from 'nats';
import type { Messaging } from './connect';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

/**
 * Publishes to a JetStream stream until the stream has acknowledged, however long NATS is away, or the stream takes nothing (its disk was
 * full: until the server is restarted). Messages carry an id, so that the stream drops repeats. What is still waiting is lost only with
 * the process: callers keep a second net (leases) for that.
 */
export class DurablePublisher<Payload extends object = object> {
  private readonly jetstream: JetStreamClient;
  private readonly waiting = new Map<Promise<void>, Payload>();
  /** The stream has not taken the last one that was tried. */
  private isRefused = false;

  constructor(
    private readonly messaging: Messaging,
    private readonly logger: Logger,
  ) {
    this.jetstream = messaging.connection.jetstream();
  }

  /** What neither the stream has taken yet nor was done otherwise: it is lost with this process. */
  get pending(): ReadonlySet<Payload> {
    return new Set(this.waiting.values());
  }

  /**
   * @param otherwise brings the same about in another way, and says whether it has; tried each time that the stream has not taken it
   * @returns resolved once the stream holds the message, or it is done otherwise, or the connection is closed for good
   */
  publish(
    subject: string,
    messageId: string,
    payload: Payload,
    otherwise: () => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<void> {
    const body = JSON.stringify(payload);
    const send = () => this.send(subject, messageId, body);
    const done = this.attempt(send, otherwise).finally(() => this.waiting.delete(done));
    this.waiting.set(done, payload);
    return done;
  }

  /** Resolves when everything published so far is acknowledged, or done otherwise. */
  async drain(): Promise<void> {
    await Promise.all(this.waiting.keys());
  }

  private async attempt(send: () => Promise<boolean>, otherwise: () => Promise<boolean>): Promise<void> {
    for (
      let waitMs = FIRST_RETRY_MS;
      !this.messaging.connection.isClosed();
      waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)
    ) {
      if ((await send()) || (await otherwise())) return;
      await delay(waitMs);
    }
  }

  /** @returns whether the stream holds it */
  private async send(subject: string, messageId: string, payload: string): Promise<boolean> {
    try {
      await this.jetstream.publish(subject, payload, { msgID: messageId, timeout: 2_000 });
      if (this.isRefused) this.logger.info({ subject }, 'the stream takes messages again');
      this.isRefused = false;
      return true;
    } catch (error) {
      if (!this.isRefused)
        this.logger.warn(
          { err: error, subject },
          'the stream takes no messages: what is to go by it waits in this process',
        );
      this.isRefused = true;
      return false;
    }
  }
}
