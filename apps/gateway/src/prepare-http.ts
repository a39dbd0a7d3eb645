import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CLOCK } from './clock';
import type { Clock } from './clock';
import { GatewayConfig } from './gateway.config';
import type { GatewayHttpAdapter } from './http/gateway-http.adapter';
import { readJsonBodies } from './http/json-body';
import type { BodyTerms } from './http/json-body';
import { PLAYGROUND_ROUTE, PORTAL_API_PREFIX, SIGN_IN_ROUTES } from './http/portal-routes';
import { requestHook } from './http/request-hook';
import { RequestJournal } from './http/request-journal';
import { ShutdownState } from './http/shutdown-state';
import { StalledConnections } from './http/stalled-connections';
import { ApiKeysService } from './keys/api-keys.service';
import { SessionCookie } from './portal-api/sessions/session-cookie';
import { RunsService } from './runs/runs.service';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** What a provider sends is small. */
const MAX_SUPPLY_BODY_BYTES = 64 * 1024;
/** What all providers' messages together may take until they have come whole. */
const MAX_COLLECTED_SUPPLY_BYTES = 8 * 1024 * 1024;
/** Taken without a key: what comes by these is signed. */
const SUPPLY_ROUTES = new Set(['/v1/providers', '/v1/offers', '/v1/offers/:id/withdraw']);
/** A message of some lines and a signature. */
const MAX_SIGN_IN_BODY_BYTES = 16 * 1024;
const MAX_COLLECTED_SIGN_IN_BYTES = 4 * 1024 * 1024;
/** What the portal's forms send. */
const MAX_PORTAL_BODY_BYTES = 64 * 1024;
const MAX_COLLECTED_PORTAL_BYTES = 8 * 1024 * 1024;
/** The playground takes what chat completions take, and nothing of the room that those have. */
const MAX_COLLECTED_PLAYGROUND_BYTES = 32 * 1024 * 1024;

/**
 * How large a body may be: a request goes to dispatch as one message, which holds the plan and the hold as well, and in
 * which some characters take more room than they came with.
 * @param maxPayloadBytes the largest message that NATS takes
 */
function bodyLimitOf(maxPayloadBytes: number): number {
  return Math.min(MAX_BODY_BYTES, Math.floor(maxPayloadBytes / 2));
}

/** Sets up what stands before the controllers. */
export function prepareHttp(app: NestFastifyApplication, maxPayloadBytes: number): void {
  const adapter = app.getHttpAdapter() as unknown as GatewayHttpAdapter;
  const instance = adapter.getInstance<FastifyInstance>();
  const stalled = new StalledConnections();
  stalled.follow(instance.server);
  app.get(RunsService).onSweep((nowMs) => stalled.sweep(nowMs));
  instance.decorateRequest('record');
  const journal = app.get(RequestJournal);
  adapter.beginRequest = requestHook({
    clock: app.get<Clock>(CLOCK),
    journal,
    shutdown: app.get(ShutdownState),
  });
  adapter.onBrokenConnection = (requestId, status) => journal.broken(requestId, status);
  instance.addHook('onRequest', adapter.beginRequest);
  readJsonBodies(instance, bodyTerms(app, bodyLimitOf(maxPayloadBytes)));
}

/** Who may send a body at all, by what can be told without asking anybody: a key's form, a session cookie's, the route. */
function bodyTerms(app: NestFastifyApplication, completionLimitBytes: number): BodyTerms[] {
  const keys = app.get(ApiKeysService);
  const cookie = app.get(SessionCookie);
  const hasSession = ({ headers }: FastifyRequest) => cookie.read(headers.cookie) !== undefined;
  return [
    {
      // Whoever has a wallet may come, so this is little, and not taken from those who have a key.
      limitBytes: MAX_SUPPLY_BODY_BYTES,
      maxCollectedBytes: MAX_COLLECTED_SUPPLY_BYTES,
      isWelcome: (request) => SUPPLY_ROUTES.has(routeOf(request)),
    },
    {
      limitBytes: MAX_SIGN_IN_BODY_BYTES,
      maxCollectedBytes: MAX_COLLECTED_SIGN_IN_BYTES,
      isWelcome: (request) => SIGN_IN_ROUTES.has(routeOf(request)),
    },
    {
      limitBytes: completionLimitBytes,
      maxCollectedBytes: MAX_COLLECTED_PLAYGROUND_BYTES,
      isWelcome: (request) => routeOf(request) === PLAYGROUND_ROUTE && hasSession(request),
    },
    {
      limitBytes: completionLimitBytes,
      maxCollectedBytes: app.get(GatewayConfig).maxCollectedBodyBytes,
      isWelcome: (request) =>
        !request.is404 &&
        !routeOf(request).startsWith(PORTAL_API_PREFIX) &&
        keys.isWellFormed(request.headers.authorization),
    },
    {
      limitBytes: MAX_PORTAL_BODY_BYTES,
      maxCollectedBytes: MAX_COLLECTED_PORTAL_BYTES,
      isWelcome: (request) => routeOf(request).startsWith(PORTAL_API_PREFIX) && hasSession(request),
    },
  ];
}

/** The pattern of its route; empty where nothing is. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? '';
}
