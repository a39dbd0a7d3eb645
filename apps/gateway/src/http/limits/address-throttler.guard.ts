import { Injectable } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { ThrottlerLimitDetail } from '@nestjs/throttler';
import { SvcError } from '@svc/errors';
import type { FastifyRequest } from 'fastify';

/** An address with the port it came from, as some proxies (Azure's) write it: `192.0.2.1:49152`, `[2001:db8::1]:49152`. */
const WITH_PORT = /^(?:\[(.+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/** How often one address (of IPv6, one /64) may read and write on the routes that use this guard; others know nothing of it. */
@Injectable()
export class AddressThrottlerGuard extends ThrottlerGuard {
  /** Whom a request is counted with, for those who count other things than requests. */
  countedAs(request: Pick<FastifyRequest, 'ip'>): Promise<string> {
    return this.getTracker(request);
  }

  /** Each connection has another port: with it, each would have a count of its own. */
  protected override getTracker({ ip }: Pick<FastifyRequest, 'ip'>): Promise<string> {
    const [, v6, v4] = WITH_PORT.exec(ip) ?? [];
    return super.getTracker({ ip: v6 ?? v4 ?? ip });
  }

  /** One count for all routes of a kind. */
  protected override generateKey(_context: ExecutionContext, tracker: string, name: string): string {
    return `${name} ${tracker}`;
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { limit, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    const message = `More than ${limit} requests of this kind came from your address within a minute; try again later.`;
    return Promise.reject(
      new SvcError({
        code: 'invalid_request',
        status: 429,
        message,
        retryAfterSeconds: timeToBlockExpire,
      }),
    );
  }
}
