import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { sessionOf } from './session';
import { notAnOperator } from './session-refusals';

/** Lets operators through; stands behind `PortalSessionGuard`. */
@Injectable()
export class OperatorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { isOperator } = sessionOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (!isOperator) throw notAnOperator();
    return true;
  }
}
