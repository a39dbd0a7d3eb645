import { TransientMap } from '@svc/collections';
import type { NatsConnection, PublishOptions } from 'nats';
import { BUNDLE_TOKEN, Bundle, MOST_TOKEN_CHARS } from './bundle';
import { bundleOf } from './inbox';
import { maxPayloadOf } from './max-payload';
import { WritePace } from './write-pace';

interface Queued {
  subject: string;
  payload: Uint8Array;
  options: PublishOptions | undefined;
}

/** Texts up to here fit whatever is in them. */
const LITTLE_CHARS = 64 * 1024;
/** What stands around a text in the message that holds it. */
const AROUND_BYTES = 64;
/** Larger messages go by themselves. */
const LARGE_BYTES = 32 * 1024;
/** A bundle that has come to this many bytes is closed: with one more message it is far below what any server takes. */
const MOST_BUNDLED_BYTES = 128 * 1024;

const publishers = new WeakMap<NatsConnection, TurnPublisher>();

/**
 * Publishes at the end of the event-loop turn, under load a millisecond later. nats.js flushes its buffer once per microtask, so
 * publishing as work is done costs one socket write a message; gathered it is one write for all.
 */
export class TurnPublisher {
  private queue: Queued[] = [];
  private work: (() => void)[] = [];
  private readonly bundles = new TransientMap<string, Bundle>();
  private scheduled = false;

  constructor(
    private readonly connection: NatsConnection,
    private readonly pace = new WritePace(),
  ) {}

  /** The connection's one publisher: everything that a process says in a turn shares a write. */
  static of(connection: NatsConnection): TurnPublisher {
    let publisher = publishers.get(connection);
    if (!publisher) publishers.set(connection, (publisher = new TurnPublisher(connection)));
    return publisher;
  }

  /** @throws RangeError at once for a payload that the server would refuse, so that only its own sender fails */
  publish(subject: string, payload: Uint8Array | string, options?: PublishOptions): void {
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    this.assertTaken(subject, bytes.length);
    this.schedule();
    this.queue.push({ subject, payload: bytes, options });
  }

  /**
   * Publishes into another process's inbox. What goes to inboxes of one process in a turn goes in one message, in order.
   * @throws RangeError as `publish`
   */
  deliver(inbox: string, payload: Uint8Array): void {
    const { subject, token } = bundleOf(inbox);
    const bundle = this.bundles.get(subject);
    if (payload.length > LARGE_BYTES || token.length > MOST_TOKEN_CHARS) {
      if (bundle) this.close(subject, bundle);
      return this.publish(inbox, payload);
    }
    this.schedule();
    if (bundle && bundle.bytes < MOST_BUNDLED_BYTES) return bundle.add(token, payload);
    if (bundle) this.close(subject, bundle);
    const opened = new Bundle();
    opened.add(token, payload);
    this.bundles.set(subject, opened);
  }

  /** Does this before the next flush: what it publishes goes with that. */
  atFlush(work: () => void): void {
    this.schedule();
    this.work.push(work);
  }

  /** @throws RangeError for a text that, with a few bytes around it, the server would refuse */
  assertFits(subject: string, text: string): void {
    // No character takes more than three bytes.
    if (text.length < LITTLE_CHARS) return;
    this.assertTaken(subject, Buffer.byteLength(text) + AROUND_BYTES);
  }

  /** Hands everything queued to the connection now. */
  flush(): void {
    const { work } = this;
    this.work = [];
    for (const each of work) each();
    for (const [subject, bundle] of this.bundles.entries()) this.close(subject, bundle);
    const { queue } = this;
    if (queue.length === 0) return;
    this.queue = [];
    this.pace.spend();
    for (const { subject, payload, options } of queue) {
      try {
        this.connection.publish(subject, payload, options);
      } catch {
        // The connection is closing, or found a server that takes less. Whoever waits for an answer has a timer.
      }
    }
  }

  /** What comes for the same process after this goes after it. */
  private close(subject: string, bundle: Bundle): void {
    this.bundles.delete(subject);
    const { only } = bundle;
    if (only) {
      const inbox = subject.slice(0, -BUNDLE_TOKEN.length) + only.token;
      this.queue.push({ subject: inbox, payload: only.payload, options: undefined });
    } else {
      this.queue.push({ subject, payload: bundle.encode(), options: undefined });
    }
  }

  private assertTaken(subject: string, bytes: number): void {
    const most = maxPayloadOf(this.connection);
    if (bytes <= most) return;
    throw new RangeError(
      `The message for ${subject} has ${bytes} bytes, more than the server takes (${most}).`,
    );
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    const { waitMs } = this.pace;
    const flush = () => {
      this.flush();
      this.scheduled = false;
      // Work of this flush may have asked for more.
      if (this.queue.length + this.work.length + this.bundles.size > 0) this.schedule();
    };
    if (waitMs === 0) setImmediate(flush);
    else setTimeout(flush, waitMs);
  }
}
