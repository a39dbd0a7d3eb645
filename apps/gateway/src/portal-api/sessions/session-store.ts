import { Inject, Injectable } from '@nestjs/common';
import { noCapacity } from '@svc/errors';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { NatsError, StorageType } from 'nats';
import type { KV } from 'nats';
import type { SessionTicket } from './session-cookie';
import { SESSION_IDLE_MS } from './session-terms';

/** Keys are `<wallet>.<session id>`. Gateways alone know of it. */
export const SESSIONS_BUCKET = 'gateway_sessions';

const TIMEOUT_MS = 2_000;
const MAX_BUCKET_BYTES = 256 * 1024 * 1024;
/** JetStream's word for a revision that is not the last one any more. */
const WRONG_LAST_SEQUENCE = 10071;

/** A session as it is kept. Times are Unix milliseconds. */
export interface StoredSession {
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly userAgent: string;
}

export interface FoundSession extends StoredSession {
  readonly revision: number;
}

/** The bucket of sessions, which all gateways share: one that is signed out at one is so at all of them. */
@Injectable()
export class SessionStore {
  private bucket: Promise<KV> | undefined;

  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** @throws SvcError no_capacity when the bucket cannot be asked, as all below */
  async find(ticket: SessionTicket): Promise<FoundSession | undefined> {
    const entry = await this.ask((bucket) => bucket.get(keyOf(ticket)));
    return entry?.operation === 'PUT'
      ? { ...entry.json<StoredSession>(), revision: entry.revision }
      : undefined;
  }

  async add(ticket: SessionTicket, session: StoredSession): Promise<void> {
    await this.ask((bucket) => bucket.put(keyOf(ticket), JSON.stringify(session), { previousSeq: 0 }));
  }

  /** Nothing is written when the session was changed or removed meanwhile: who signed out stays so. */
  async touch(ticket: SessionTicket, { revision, ...session }: FoundSession): Promise<void> {
    try {
      await this.ask((bucket) =>
        bucket.put(keyOf(ticket), JSON.stringify(session), { previousSeq: revision }),
      );
    } catch (error) {
      if (!isWrongRevision(error)) throw error;
    }
  }

  async remove(ticket: SessionTicket): Promise<void> {
    await this.ask((bucket) => bucket.delete(keyOf(ticket)));
  }

  /** Every session of a wallet that is kept. */
  async list(wallet: string): Promise<SessionTicket[]> {
    return this.ask(async (bucket) => {
      const tickets: SessionTicket[] = [];
      for await (const key of await bucket.keys(`${wallet}.*`)) {
        tickets.push({ wallet, sessionId: key.slice(wallet.length + 1) });
      }
      return tickets;
    });
  }

  private async ask<T>(question: (bucket: KV) => Promise<T>): Promise<T> {
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

  private open(): Promise<KV> {
    return this.messaging.connection.jetstream({ timeout: TIMEOUT_MS }).views.kv(SESSIONS_BUCKET, {
      history: 1,
      storage: StorageType.File,
      max_bytes: MAX_BUCKET_BYTES,
      // What is not touched for so long is over anyway.
      ttl: SESSION_IDLE_MS,
      // Reads come from the stream's leader: it has every write, and so every sign-out.
      allow_direct: false,
      timeout: TIMEOUT_MS,
    });
  }
}

function keyOf({ wallet, sessionId }: SessionTicket): string {
  return `${wallet}.${sessionId}`;
}

function isWrongRevision(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === WRONG_LAST_SEQUENCE;
}
