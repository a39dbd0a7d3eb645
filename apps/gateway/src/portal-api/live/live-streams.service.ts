import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { SvcError, noCapacity } from '@svc/errors';
import { ShutdownState } from '../../http/shutdown-state';
import type { Session } from '../sessions/session';
import { SessionsService } from '../sessions/sessions.service';
import { LiveStream } from './live-stream';
import {
  KEEP_ALIVE_MS,
  MOST_STREAMS,
  MOST_STREAMS_PER_ADDRESS,
  MOST_STREAMS_PER_SESSION,
} from './live-terms';
import { WalletFeeds } from './wallet-feeds.service';

const TOO_MANY = 429;
const RETRY_AFTER_S = 30;

/** Whose page it is. */
interface Watching {
  readonly session: Session;
  /** Whom its address is counted as. */
  readonly address: string;
}

interface OpenStream extends Watching {
  readonly stream: LiveStream;
}

/** The event streams of all pages that are open at this gateway. */
@Injectable()
export class LiveStreams implements OnModuleInit {
  private readonly open = new Set<OpenStream>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly feeds: WalletFeeds,
    private readonly sessions: SessionsService,
    private readonly shutdown: ShutdownState,
  ) {}

  onModuleInit(): void {
    this.shutdown.onLeaving(() => {
      for (const { stream } of this.open) stream.end();
    });
  }

  /** @throws SvcError when the session, its address or the gateway has as many streams as it may */
  assertRoom({ session: { sessionId }, address }: Watching): void {
    if (this.shutdown.isLeaving) throw noCapacity('This instance is shutting down; try again.', 1);
    if (this.open.size >= MOST_STREAMS) throw noCapacity('Too many pages are watching now.', RETRY_AFTER_S);
    const count = (isOne: (stream: OpenStream) => boolean) => [...this.open].filter(isOne).length;
    if (count(({ session }) => session.sessionId === sessionId) >= MOST_STREAMS_PER_SESSION)
      throw tooManyStreams(`A session may have ${MOST_STREAMS_PER_SESSION} live streams; close another tab.`);
    if (count((stream) => stream.address === address) >= MOST_STREAMS_PER_ADDRESS)
      throw tooManyStreams(`An address may have ${MOST_STREAMS_PER_ADDRESS} live streams.`);
  }

  /** Streams what changes to this reply, until its reader, its session or the gateway is gone. */
  begin({ session, address }: Watching, raw: ServerResponse): void {
    const stream = new LiveStream(raw);
    const entry: OpenStream = { session, address, stream };
    this.open.add(entry);
    this.timer ??= setInterval(() => void this.look(), KEEP_ALIVE_MS);
    const unlisten = this.feeds.listen(session.wallet, {
      position: (position) => stream.event('position', position),
      usage: (usage) => stream.event('usage', usage),
      away: () => stream.event('away', {}),
    });
    raw.once('close', () => {
      unlisten();
      this.open.delete(entry);
      if (this.open.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    });
  }

  /** Ends the streams whose sessions have ended; the others hear that theirs live. */
  async look(): Promise<void> {
    await Promise.all(
      [...this.open].map(async ({ session, stream }) => {
        // When nobody can say, it goes on: the next look will tell.
        const stands = await this.sessions.stands(session).catch(() => true);
        if (stands) stream.keepAlive();
        else stream.end();
      }),
    );
  }
}

function tooManyStreams(message: string): SvcError {
  return new SvcError({
    code: 'invalid_request',
    status: TOO_MANY,
    message,
    retryAfterSeconds: RETRY_AFTER_S,
  });
}
