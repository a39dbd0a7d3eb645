import { Inject, Injectable } from '@nestjs/common';
import { GatewayConfig } from '../../gateway.config';
import { PortalSecrets } from './portal-secrets';
import type { Session } from './session';
import { SessionCookie } from './session-cookie';
import type { SessionTicket } from './session-cookie';
import { noSuchSession } from './session-refusals';
import { SessionStore } from './session-store';
import type { StoredSession } from './session-store';
import { MOST_SESSIONS, SESSION_LIFETIME_MS, TOUCH_EVERY_MS, endOf } from './session-terms';

const MAX_USER_AGENT = 200;
const SESSION_ID = /^[0-9a-f]{64}$/;

/** A session that stands. */
export interface OpenSession extends Session, StoredSession {
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

/** Sessions of the portal: begun, found by their cookie, ended. */
@Injectable()
export class SessionsService {
  private readonly operators: ReadonlySet<string>;

  constructor(
    private readonly store: SessionStore,
    private readonly cookie: SessionCookie,
    private readonly secrets: PortalSecrets,
    @Inject(GatewayConfig) { operatorWalletList }: GatewayConfig,
  ) {
    this.operators = new Set(operatorWalletList);
  }

  /**
   * Begins a session; for whoever has shown that the wallet is theirs.
   * @returns the session, and the `Set-Cookie` header that carries its token: the token is kept nowhere else
   */
  async begin(
    wallet: string,
    userAgent: string | undefined,
  ): Promise<{ session: OpenSession; header: string }> {
    await this.makeRoom(wallet);
    const nowMs = Date.now();
    const { ticket, header } = this.cookie.issue(wallet, SESSION_LIFETIME_MS / 1_000);
    const stored: StoredSession = {
      createdAtMs: nowMs,
      lastSeenAtMs: nowMs,
      userAgent: (userAgent ?? '').slice(0, MAX_USER_AGENT),
    };
    await this.store.add(ticket, stored);
    return { session: this.opened(ticket, stored), header };
  }

  /** @param cookies the `Cookie` header; undefined unless it names a session that stands */
  async find(cookies: string | undefined): Promise<OpenSession | undefined> {
    const ticket = this.cookie.read(cookies);
    const found = ticket && (await this.store.find(ticket));
    if (!ticket || !found) return undefined;
    const nowMs = Date.now();
    if (endOf(found) <= nowMs) {
      await this.store.remove(ticket);
      return undefined;
    }
    if (nowMs - found.lastSeenAtMs < TOUCH_EVERY_MS) return this.opened(ticket, found);
    const seen = { ...found, lastSeenAtMs: nowMs };
    await this.store.touch(ticket, seen);
    return this.opened(ticket, seen);
  }

  /** Whether a session that was found before still stands. Asking keeps it from no end. */
  async stands(ticket: SessionTicket): Promise<boolean> {
    const found = await this.store.find(ticket);
    return found !== undefined && endOf(found) > Date.now();
  }

  /** A wallet's sessions that stand, the newest first. */
  async list(wallet: string): Promise<OpenSession[]> {
    const found = await Promise.all(
      (await this.store.list(wallet)).map(async (ticket) => {
        const stored = await this.store.find(ticket);
        return stored && endOf(stored) > Date.now() ? this.opened(ticket, stored) : undefined;
      }),
    );
    return found
      .filter((session) => session !== undefined)
      .sort((one, other) => other.createdAtMs - one.createdAtMs);
  }

  async end(ticket: SessionTicket): Promise<void> {
    await this.store.remove(ticket);
  }

  /**
   * Ends one of a wallet's sessions, at every gateway.
   * @throws SvcError invalid_request (404) when the wallet has no such session; another wallet's is none
   */
  async endOne(wallet: string, sessionId: string): Promise<void> {
    const ticket = { wallet, sessionId };
    // Only an id may become part of the bucket's key.
    if (!SESSION_ID.test(sessionId) || !(await this.stands(ticket))) throw noSuchSession();
    await this.store.remove(ticket);
  }

  /** Ends every session of a wallet, at every gateway. */
  async endAll(wallet: string): Promise<void> {
    const tickets = await this.store.list(wallet);
    await Promise.all(tickets.map((ticket) => this.store.remove(ticket)));
  }

  /** What the page sends with each write, to show that it is the page that sends it. */
  csrfToken(sessionId: string): string {
    return this.secrets.sign('csrf', sessionId).toString('base64url');
  }

  private async makeRoom(wallet: string): Promise<void> {
    const sessions = await this.list(wallet);
    const tooMany = sessions
      .sort((one, other) => other.lastSeenAtMs - one.lastSeenAtMs)
      .slice(MOST_SESSIONS - 1);
    await Promise.all(tooMany.map((session) => this.store.remove(session)));
  }

  private opened(ticket: SessionTicket, stored: StoredSession): OpenSession {
    const { createdAtMs, lastSeenAtMs, userAgent } = stored;
    const isOperator = this.operators.has(ticket.wallet);
    return { ...ticket, createdAtMs, lastSeenAtMs, userAgent, isOperator, expiresAtMs: endOf(stored) };
  }
}
