import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ProviderNodeConfig } from '../provider-node.config';
import { invalidApiKey } from './openai-error';

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Lets a request in when it carries the node's token, or when the node asks for none. */
@Injectable()
export class BearerGuard implements CanActivate {
  private readonly expected: Buffer | undefined;

  constructor({ providerToken }: ProviderNodeConfig) {
    this.expected = providerToken === undefined ? undefined : digest(`Bearer ${providerToken}`);
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.expected === undefined) return true;
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    // Digests have one length, so that the comparison tells nothing of the token's.
    if (timingSafeEqual(digest(headers.authorization ?? ''), this.expected)) return true;
    throw invalidApiKey();
  }
}
