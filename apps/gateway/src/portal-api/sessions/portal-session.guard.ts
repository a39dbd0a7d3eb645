import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { PortalOrigins } from './portal-origins';
import { PortalSecrets } from './portal-secrets';
import { noSession, wrongCsrfToken } from './session-refusals';
import { SessionsService } from './sessions.service';

const READS: readonly string[] = ['GET', 'HEAD'];

/**
 * Lets through who is signed in to the portal. Writes must come from the portal's page: by their `Origin`, and with the session's CSRF
 * token, which no other page can read. Counts requests by address first.
 */
@Injectable()
export class PortalSessionGuard implements CanActivate {
  constructor(
    private readonly throttler: AddressThrottlerGuard,
    private readonly sessions: SessionsService,
    private readonly origins: PortalOrigins,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.throttler.canActivate(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const session = await this.sessions.find(request.headers.cookie);
    if (!session) throw noSession();
    if (!READS.includes(request.method)) this.assertFromPage(request, session.sessionId);
    request.portalSession = session;
    return true;
  }

  private assertFromPage({ headers }: FastifyRequest, sessionId: string): void {
    this.origins.require(headers.origin);
    const token = headers['x-svc-csrf'];
    const expected = Buffer.from(this.sessions.csrfToken(sessionId));
    if (typeof token !== 'string' || !PortalSecrets.areEqual(Buffer.from(token), expected))
      throw wrongCsrfToken();
  }
}
