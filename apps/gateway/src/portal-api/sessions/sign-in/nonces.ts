import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayConfig } from '../../../gateway.config';
import { PortalCookie } from '../portal-cookie';
import { PortalOrigins } from '../portal-origins';
import { PortalSecrets } from '../portal-secrets';

/** How long a wallet may take to sign. */
const NONCE_LIFETIME_MS = 5 * 60_000;

const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 6;
const MAC_BYTES = 16;
/** Its parts in hexadecimal: EIP-4361 takes letters and digits. */
const NONCE = new RegExp(
  `^([0-9a-f]{${RANDOM_BYTES * 2}})([0-9a-f]{${EXPIRY_BYTES * 2}})([0-9a-f]{${MAC_BYTES * 2}})$`,
);
const BROWSER = /^[A-Za-z0-9_-]{43}$/;

interface IssuedNonce {
  readonly nonce: string;
  readonly expiresAtMs: number;
  /** The `Set-Cookie` header that binds it to the browser that asked. */
  readonly header: string;
}

type NonceProblem = 'unknown' | 'expired';

/**
 * Nonces that nobody has to remember: random bytes, when they expire, and an HMAC over both and a secret that only the browser that
 * asked holds, in a cookie. However many are asked for, they take no memory.
 */
@Injectable()
export class Nonces {
  private readonly cookie: PortalCookie;

  constructor(
    private readonly secrets: PortalSecrets,
    origins: PortalOrigins,
    @Inject(GatewayConfig) { environmentName }: GatewayConfig,
  ) {
    this.cookie = new PortalCookie(`svc_portal_nonce_${environmentName}`, origins.areSecure);
  }

  issue(nowMs: number): IssuedNonce {
    const browser = randomBytes(32).toString('base64url');
    const expiresAtMs = nowMs + NONCE_LIFETIME_MS;
    const body =
      randomBytes(RANDOM_BYTES).toString('hex') + expiresAtMs.toString(16).padStart(EXPIRY_BYTES * 2, '0');
    return {
      nonce: body + this.macOf(body, browser).toString('hex'),
      expiresAtMs,
      header: this.cookie.set(browser, NONCE_LIFETIME_MS / 1_000),
    };
  }

  /**
   * What is wrong with a nonce that came back, if anything; whether it was used is not asked here.
   * @param cookies the `Cookie` header of the browser that sends it
   */
  problemWith(nonce: string, cookies: string | undefined, nowMs: number): NonceProblem | undefined {
    const [, random, expiry, mac] = NONCE.exec(nonce) ?? [];
    const browser = this.cookie.read(cookies) ?? '';
    if (random === undefined || expiry === undefined || mac === undefined || !BROWSER.test(browser))
      return 'unknown';
    const isOurs = PortalSecrets.areEqual(Buffer.from(mac, 'hex'), this.macOf(random + expiry, browser));
    if (!isOurs) return 'unknown';
    return Number.parseInt(expiry, 16) > nowMs ? undefined : 'expired';
  }

  /** The header that makes the browser forget its secret. */
  clear(): string {
    return this.cookie.clear();
  }

  private macOf(body: string, browser: string): Buffer {
    return this.secrets.sign('nonce', `${body}.${browser}`).subarray(0, MAC_BYTES);
  }
}
