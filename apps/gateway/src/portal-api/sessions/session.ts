import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Who is signed in to the portal. */
export interface Session {
  /** In lower case. */
  readonly wallet: string;
  /** Names the session among its wallet's; opens nothing. */
  readonly sessionId: string;
  /** Whether the wallet is one of the operators'. */
  readonly isOperator: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `PortalSessionGuard`. */
    portalSession?: Session;
  }
}

/**
 * The session that a request found to have.
 * @throws Error on a route that `PortalSessionGuard` does not guard
 */
export function sessionOf(request: FastifyRequest): Session {
  if (!request.portalSession) throw new Error('a route asks for a session and has no PortalSessionGuard');
  return request.portalSession;
}

/** The session of a route that `PortalSessionGuard` guards: `@PortalSession() session: Session`. */
export const PortalSession = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  sessionOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
