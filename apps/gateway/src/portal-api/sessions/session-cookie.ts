import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayConfig } from '../../gateway.config';
import { PortalCookie } from './portal-cookie';
import { PortalOrigins } from './portal-origins';

const TOKEN_BYTES = 32;
/** The wallet, under which the session is kept, and the token, which alone opens it. */
const VALUE = /^(0x[0-9a-f]{40})\.([A-Za-z0-9_-]{43})$/;

/** A session as its cookie names it. */
export interface SessionTicket {
  readonly wallet: string;
  /** Of the token, SHA-256, 64 hex digits: the session's id. */
  readonly sessionId: string;
}

/** The cookie that a session is known by. */
@Injectable()
export class SessionCookie {
  private readonly cookie: PortalCookie;

  constructor(@Inject(GatewayConfig) config: GatewayConfig, origins: PortalOrigins) {
    this.cookie = new PortalCookie(`svc_portal_${config.environmentName}`, origins.areSecure);
  }

  /** A new session's ticket, and the header that gives its token to the browser. */
  issue(wallet: string, maxAgeSeconds: number): { ticket: SessionTicket; header: string } {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    return { ticket: ticketOf(wallet, token), header: this.cookie.set(`${wallet}.${token}`, maxAgeSeconds) };
  }

  /** The header that makes the browser forget it. */
  clear(): string {
    return this.cookie.clear();
  }

  /** @param header `Cookie`; undefined for what cannot be a session's cookie */
  read(header: string | undefined): SessionTicket | undefined {
    const [, wallet, token] = VALUE.exec(this.cookie.read(header) ?? '') ?? [];
    return wallet !== undefined && token !== undefined ? ticketOf(wallet, token) : undefined;
  }
}

function ticketOf(wallet: string, token: string): SessionTicket {
  return { wallet, sessionId: createHash('sha256').update(token).digest('hex') };
}
