import { Inject, Injectable } from '@nestjs/common';
import { Counter, Histogram, LOGGER, METRICS_REGISTRY } from '@svc/observability';
import type { Logger, MetricsRegistry } from '@svc/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CLOCK } from '../clock';
import type { Clock } from '../clock';
import { PLAYGROUND_ROUTE, PORTAL_PREFIX } from './portal-routes';
import { routedPath } from './request-path';
import { payloadOfStatus } from './to-payload';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Probes come every second from everywhere. */
const QUIET_PREFIXES = ['/health/', '/metrics'];

type Route = 'chat_completions' | 'models' | 'supply' | 'portal' | 'portal_live' | 'other';

const ROUTES: readonly [prefix: string, route: Route][] = [
  ['/v1/chat/completions', 'chat_completions'],
  ['/v1/models', 'models'],
  ['/v1/offers', 'supply'],
  ['/v1/providers', 'supply'],
  ['/v1/certifications', 'supply'],
  ['/v1/supply', 'supply'],
  [PLAYGROUND_ROUTE, 'chat_completions'],
  // Lasts as long as a page is open.
  ['/portal/api/live', 'portal_live'],
  [PORTAL_PREFIX, 'portal'],
];

function routeOf(path: string): Route {
  return ROUTES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'other';
}

/** Of a reply whose code nobody noted: a success, or what the HTTP layer refused by itself. */
function codeOfStatus(status: number): string {
  return status < 400 ? 'ok' : payloadOfStatus(status).code;
}

/** One log line and one observation a request. Never a prompt, a completion or a key. */
@Injectable()
export class RequestJournal {
  private readonly logger: Logger;
  private readonly requests: Counter<'route' | 'code'>;
  private readonly durations: Histogram<'route'>;
  private readonly firstBytes: Histogram<'stream'>;

  constructor(
    @Inject(LOGGER) logger: Logger,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(METRICS_REGISTRY) registry: MetricsRegistry,
  ) {
    // No field of the line can hold a credential, and looking for one costs as much as writing it.
    this.logger = logger.child({}, { redact: [] });
    const registers = [registry];
    this.requests = new Counter({
      name: 'svc_gateway_requests_total',
      help: 'Requests by route and outcome: an error code, ok, or client_closed.',
      labelNames: ['route', 'code'],
      registers,
    });
    // An alarm waits for it.
    this.requests.inc({ route: 'chat_completions', code: 'internal_error' }, 0);
    this.durations = new Histogram({
      name: 'svc_gateway_request_duration_seconds',
      help: 'From the request line to the last byte.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    });
    this.firstBytes = new Histogram({
      name: 'svc_gateway_first_byte_seconds',
      help: 'Completions: from the request line to the first byte of a 200.',
      labelNames: ['stream'],
      buckets: SECONDS,
      registers,
    });
  }

  /** Something was answered of which no request could be made: not HTTP, headers too large or too slow. */
  broken(requestId: string, status: number): void {
    const code = codeOfStatus(status);
    this.requests.inc({ route: 'other', code });
    this.logger.info({ requestId, route: 'other', status, code }, 'request');
  }

  /** Called once a request, when its reply is finished or its client is gone. */
  finished(request: FastifyRequest, reply: FastifyReply): void {
    const path = routedPath(request.raw.url ?? '');
    if (QUIET_PREFIXES.some((prefix) => path.startsWith(prefix))) return;
    const { record } = request;
    const { raw } = reply;
    const durationMs = this.clock.nowMs() - record.startedMs;
    const code = raw.writableFinished ? (record.code ?? codeOfStatus(raw.statusCode)) : 'client_closed';
    const route = routeOf(path);
    this.requests.inc({ route, code });
    this.durations.observe({ route }, durationMs / 1000);
    if (record.firstByteMs !== undefined) {
      const toFirstByteMs = record.firstByteMs - record.startedMs;
      this.firstBytes.observe({ stream: String(record.stream) }, toFirstByteMs / 1000);
    }
    this.logger.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status: raw.headersSent ? raw.statusCode : undefined,
        code,
        model: record.model,
        costUsdc: record.costUsdc,
        replayOf: record.replayOf,
        durationMs: Math.round(durationMs * 10) / 10,
      },
      'request',
    );
  }
}
