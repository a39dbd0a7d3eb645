import { noCapacity } from '@svc/errors';
import { isWrongRevision, openBucket } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { NatsError, StorageType } from 'nats';
import type { KV } from 'nats';

const TIMEOUT_MS = 2_000;

interface PortalBucketOptions {
  readonly name: string;
  /** How long after its last write a key is forgotten. */
  readonly ttlMs: number;
  readonly maxBytes: number;
}

/** A bucket that all gateways share and nobody else knows of. It is made when there is none, also after it was lost. */
export class PortalBucket {
  private bucket: Promise<KV> | undefined;

  constructor(
    private readonly messaging: Messaging,
    private readonly options: PortalBucketOptions,
  ) {}

  /**
   * Makes it, unless it is there. As long as it is not, whoever has taken over a gateway may make it for any subject, and read or write there
   * what others alone may (`deploy/nats/nats.conf`). What goes wrong is told to whoever asks it next.
   */
  prepare(): void {
    void this.ask(() => Promise.resolve()).catch(() => undefined);
  }

  /** @throws SvcError no_capacity when the bucket cannot be asked; BucketDiffersError when it was made otherwise */
  async ask<T>(question: (bucket: KV) => Promise<T>): Promise<T> {
    try {
      this.bucket ??= this.open();
      return await question(await this.bucket);
    } catch (error) {
      if (isWrongRevision(error)) throw error;
      // Whatever went wrong, the bucket may be gone: next time it is looked for, and made.
      this.bucket = undefined;
      if (error instanceof NatsError) throw noCapacity('Sessions cannot be looked up now; try again.', 2);
      throw error;
    }
  }

  /**
   * Writes if the key still stands at that revision; 0 for a key that must not be there.
   * @returns whether it was written
   * @throws SvcError no_capacity when that is unknown
   */
  async put(key: string, value: string, revision: number): Promise<boolean> {
    try {
      await this.ask((bucket) => bucket.put(key, value, { previousSeq: revision }));
      return true;
    } catch (error) {
      if (isWrongRevision(error)) return false;
      throw error;
    }
  }

  private open(): Promise<KV> {
    const { name, ttlMs, maxBytes } = this.options;
    return openBucket(this.messaging.connection.jetstream({ timeout: TIMEOUT_MS }), name, {
      history: 1,
      storage: StorageType.File,
      max_bytes: maxBytes,
      ttl: ttlMs,
      // Reads come from the stream's leader: it has every write, and so every sign-out.
      allow_direct: false,
      timeout: TIMEOUT_MS,
    });
  }
}
