import { Injectable } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { ThrottlerLimitDetail } from '@nestjs/throttler';
import { SvcError } from '@svc/errors';
import type { FastifyRequest } from 'fastify';

/** How often one address (of IPv6, one /64) may read and write on the routes that use this guard; others know nothing of it. */
@Injectable()
export class AddressThrottlerGuard extends ThrottlerGuard {
  /** Whom a request is counted with, for those who count other things than requests. */
  countedAs(request: FastifyRequest): Promise<string> {
    return this.getTracker(request);
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
