import { SessionsService } from '../portal-api/sessions/sessions.service';
import type { GatewayHarness } from './gateway-harness.for-spec';

/** A browser with the portal's page open, signed in as a wallet. */
export class PortalVisitor {
  private constructor(
    private readonly harness: GatewayHarness,
    readonly wallet: string,
    /** What its requests carry; specs of attacks send something else. */
    readonly headers: Readonly<Record<'cookie' | 'origin' | 'x-svc-csrf', string>>,
  ) {}

  /** @param wallet in lower case; `OPERATOR` is an operator */
  static async signedIn(harness: GatewayHarness, wallet: string): Promise<PortalVisitor> {
    const sessions = harness.app.get(SessionsService);
    const { session, header } = await sessions.begin(wallet, 'a browser');
    return new PortalVisitor(harness, wallet, {
      cookie: header.split(';', 1)[0] ?? '',
      origin: harness.url,
      'x-svc-csrf': sessions.csrfToken(session.sessionId),
    });
  }

  /** @param path below `/portal/api`, with its slash */
  get(path: string, init: { method?: 'HEAD'; signal?: AbortSignal } = {}): Promise<Response> {
    return fetch(this.urlOf(path), { headers: this.headers, ...init });
  }

  /** @param body JSON; none is sent when there is none */
  send(
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> {
    return fetch(this.urlOf(path), {
      method,
      headers: {
        ...this.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...init.headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: init.signal,
    });
  }

  private urlOf(path: string): string {
    return `${this.harness.url}/portal/api${path}`;
  }
}
