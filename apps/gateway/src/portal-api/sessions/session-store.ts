import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { PortalBucket } from './portal-bucket';
import type { SessionTicket } from './session-cookie';
import { SESSION_IDLE_MS } from './session-terms';

const MAX_BUCKET_BYTES = 256 * 1024 * 1024;

/** A session as it is kept. Times are Unix milliseconds. */
export interface StoredSession {
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  readonly userAgent: string;
}

interface FoundSession extends StoredSession {
  readonly revision: number;
}

/**
 * The bucket of sessions, keys `<wallet>.<session id>`: one that is signed out at one gateway is so at all of them. Everything here throws
 * SvcError no_capacity when the bucket cannot be asked.
 */
@Injectable()
export class SessionStore implements OnApplicationBootstrap {
  private readonly bucket: PortalBucket;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    // A session that is not touched for that long is over anyway.
    const options = { name: 'gateway_sessions', ttlMs: SESSION_IDLE_MS, maxBytes: MAX_BUCKET_BYTES };
    this.bucket = new PortalBucket(messaging, options);
  }

  onApplicationBootstrap(): void {
    this.bucket.prepare();
  }

  async find(ticket: SessionTicket): Promise<FoundSession | undefined> {
    const entry = await this.bucket.ask((bucket) => bucket.get(keyOf(ticket)));
    if (entry?.operation !== 'PUT') return undefined;
    const session = readSession(entry.string());
    return session && { ...session, revision: entry.revision };
  }

  async add(ticket: SessionTicket, session: StoredSession): Promise<void> {
    await this.bucket.put(keyOf(ticket), JSON.stringify(session), 0);
  }

  /**
   * Nothing is written when the session was changed or removed meanwhile: who signed out stays so. Nor when the bucket takes no more
   * writes: whoever is signed in is not to suffer from those who fill it.
   */
  async touch(ticket: SessionTicket, { revision, ...session }: FoundSession): Promise<void> {
    await this.bucket.put(keyOf(ticket), JSON.stringify(session), revision).catch(() => false);
  }

  async remove(ticket: SessionTicket): Promise<void> {
    await this.bucket.ask((bucket) => bucket.delete(keyOf(ticket)));
  }

  /** Every session of a wallet that is kept. */
  async list(wallet: string): Promise<SessionTicket[]> {
    return this.bucket.ask(async (bucket) => {
      const tickets: SessionTicket[] = [];
      for await (const key of await bucket.keys(`${wallet}.*`)) {
        tickets.push({ wallet, sessionId: key.slice(wallet.length + 1) });
      }
      return tickets;
    });
  }
}

function keyOf({ wallet, sessionId }: SessionTicket): string {
  return `${wallet}.${sessionId}`;
}

/**
 * JetStream answers wherever it is asked to: whoever may ask it anything can have it write its answer into the bucket, under whichever key.
 * @returns undefined for what no gateway wrote
 */
function readSession(text: string): StoredSession | undefined {
  const read = parsed(text);
  if (typeof read !== 'object' || read === null) return undefined;
  const { createdAtMs, lastSeenAtMs, userAgent } = read as Partial<Record<keyof StoredSession, unknown>>;
  if (!Number.isSafeInteger(createdAtMs) || !Number.isSafeInteger(lastSeenAtMs)) return undefined;
  return typeof userAgent === 'string' ? (read as StoredSession) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
