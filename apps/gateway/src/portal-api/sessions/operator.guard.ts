import { Injectable, NotFoundException } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { sessionOf } from './session';

/** Lets operators through; for everybody else there is nothing at the path. Stands behind `PortalSessionGuard`. */
@Injectable()
export class OperatorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { isOperator } = sessionOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (!isOperator) throw new NotFoundException();
    return true;
  }
}
