import type { ExecutionContext } from '@nestjs/common';
import type { ThrottlerModuleOptions } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../clock';
import type { GatewayConfig } from '../../gateway.config';
import { PORTAL_API_PREFIX, SIGN_IN_ROUTES } from '../portal-routes';
import { BoundedThrottlerStorage } from './bounded-throttler-storage';

const WINDOW_MS = 60_000;

type Kind = 'writes' | 'reads' | 'sign_ins' | 'portal';

function kindOf(context: ExecutionContext): Kind {
  const { method, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
  const isPost = method === 'POST';
  const route = routeOptions.url ?? '';
  if (!route.startsWith(PORTAL_API_PREFIX)) return isPost ? 'writes' : 'reads';
  return isPost && SIGN_IN_ROUTES.has(route) ? 'sign_ins' : 'portal';
}

/** What an address may do is counted by kinds: supply's writes and reads, sign-ins to the portal, and all else of the portal. */
export function throttlerOptions(config: GatewayConfig, clock: Clock): ThrottlerModuleOptions {
  const limits: Readonly<Record<Kind, number>> = {
    writes: config.supplyWritesPerMinute,
    reads: config.supplyReadsPerMinute,
    sign_ins: config.portalSignInsPerMinute,
    portal: config.portalRequestsPerMinute,
  };
  return {
    storage: new BoundedThrottlerStorage(clock),
    setHeaders: false,
    throttlers: Object.entries(limits).map(([name, limit]) => ({
      name,
      ttl: WINDOW_MS,
      limit,
      skipIf: (context) => kindOf(context) !== name,
    })),
  };
}
