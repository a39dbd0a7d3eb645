import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { safeJson } from './safe-json';

/** Replies that hold what strangers wrote, and change at any time. */
@Injectable()
export class SafeJsonInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    void reply
      .serializer(safeJson)
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store');
    return next.handle();
  }
}
