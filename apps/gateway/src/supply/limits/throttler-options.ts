import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../clock';
import type { GatewayConfig } from '../../gateway.config';
import { BoundedThrottlerStorage } from './bounded-throttler-storage';

const WINDOW_MS = 60_000;

function isWrite(context: ExecutionContext): boolean {
  return context.switchToHttp().getRequest<FastifyRequest>().method === 'POST';
}

/** Writes and reads are counted apart. */
export function throttlerOptions(
  { supplyWritesPerMinute, supplyReadsPerMinute }: GatewayConfig,
  clock: Clock,
): ThrottlerModuleOptions {
  return {
    storage: new BoundedThrottlerStorage(clock),
    setHeaders: false,
    throttlers: [
      {
        name: 'writes',
        ttl: WINDOW_MS,
        limit: supplyWritesPerMinute,
        skipIf: (context) => !isWrite(context),
      },
      { name: 'reads', ttl: WINDOW_MS, limit: supplyReadsPerMinute, skipIf: isWrite },
    ],
  };
}
