import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { CLOCK } from '../clock';
import type { Clock } from '../clock';
import { GatewayConfig } from '../gateway.config';
import { ApiKeysService } from '../keys/api-keys.service';
import { MAX_SUPPLY_BODY_BYTES } from '../supply/read-body';
import { readJsonBodies } from './json-body';
import { requestHook } from './request-hook';
import { RequestJournal } from './request-journal';
import { ShutdownState } from './shutdown-state';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** What all providers' messages together may take until they have come whole. */
const MAX_COLLECTED_SUPPLY_BYTES = 8 * 1024 * 1024;
/** Taken without a key: what comes by these is signed. */
const SUPPLY_ROUTES = new Set(['/v1/providers', '/v1/offers', '/v1/offers/:id/withdraw']);

/**
 * How large a body may be: a request goes to dispatch as one message, which holds the plan and the hold as well, and in
 * which some characters take more room than they came with.
 * @param maxPayloadBytes the largest message that NATS takes
 */
export function bodyLimitOf(maxPayloadBytes: number): number {
  return Math.min(MAX_BODY_BYTES, Math.floor(maxPayloadBytes / 2));
}

/** Sets up what stands before the controllers. */
export function prepareHttp(app: NestFastifyApplication, maxPayloadBytes: number): void {
  const instance: FastifyInstance = app.getHttpAdapter().getInstance();
  instance.decorateRequest('record');
  instance.addHook(
    'onRequest',
    requestHook({
      clock: app.get<Clock>(CLOCK),
      journal: app.get(RequestJournal),
      shutdown: app.get(ShutdownState),
    }),
  );
  const keys = app.get(ApiKeysService);
  readJsonBodies(instance, [
    {
      // Whoever has a wallet may come, so this is little, and not taken from those who have a key.
      limitBytes: MAX_SUPPLY_BODY_BYTES,
      maxCollectedBytes: MAX_COLLECTED_SUPPLY_BYTES,
      isWelcome: ({ routeOptions }) => SUPPLY_ROUTES.has(routeOptions.url ?? ''),
    },
    {
      limitBytes: bodyLimitOf(maxPayloadBytes),
      maxCollectedBytes: app.get(GatewayConfig).maxCollectedBodyBytes,
      isWelcome: (request) => !request.is404 && keys.isWellFormed(request.headers.authorization),
    },
  ]);
}
