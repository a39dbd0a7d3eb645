import type { ServerResponse } from 'node:http';
import { noCapacity } from '@svc/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock';
import { headerProblemOf } from './header-problem';
import { PipelinedRequests } from './pipelined-requests';
import { protectPortal } from './portal-policy';
import { PORTAL_API_PREFIX, PORTAL_PREFIX } from './portal-routes';
import { REQUEST_ID_HEADERS, tellRequestId } from './request-ids';
import type { RequestJournal } from './request-journal';
import { routedPath } from './request-path';
import { RequestRecord } from './request-record';
import type { ShutdownState } from './shutdown-state';

/** The API, and what a base URL without `/v1` makes of it: nothing is there, and pages are to read what is said of that. */
const API_PREFIXES = ['/v1/', '/chat/', '/models'];
const DOCS_PREFIX = '/docs';
const DESCRIPTION_PATH = '/docs/openapi.json';

const EXPOSED_HEADERS = [
  ...REQUEST_ID_HEADERS,
  'x-svc-hold-usdc',
  'x-svc-idempotent-replay',
  'x-should-retry',
  'retry-after',
  'etag',
].join(', ');

const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

interface RequestHookParts {
  clock: Clock;
  journal: RequestJournal;
  shutdown: ShutdownState;
}

export type RequestHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;

/** Runs first for every request: its record, the headers that every reply carries, preflights, the door at shutdown. */
export function requestHook({ clock, journal, shutdown }: RequestHookParts): RequestHook {
  const pipelined = new PipelinedRequests();
  const begin: RequestHook = (request, reply, done) => {
    const { raw } = reply;
    const path = routedPath(request.raw.url ?? '');
    const record = new RequestRecord(clock.nowMs());
    request.record = record;
    tellRequestId(raw, request.id);
    raw.setHeader('x-content-type-options', 'nosniff');
    raw.once('close', () => {
      record.closed = true;
      record.onClosed?.();
      journal.finished(request, reply);
    });
    if (shutdown.isLeaving) raw.setHeader('connection', 'close');
    if (path.startsWith(DOCS_PREFIX)) protectPages(raw);
    if (path.startsWith(PORTAL_PREFIX)) protectPortal(raw);
    // What a session may see is for nobody's cache; no other origin may read it, so no CORS header is sent.
    if (path.startsWith(PORTAL_API_PREFIX)) raw.setHeader('cache-control', 'no-store');
    // For tools that are pages of others.
    if (path === DESCRIPTION_PATH) raw.setHeader('access-control-allow-origin', '*');
    if (API_PREFIXES.some((prefix) => path.startsWith(prefix))) {
      // Keys, not cookies: any page may call, with what it was given.
      raw.setHeader('access-control-allow-origin', '*');
      raw.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
      if (request.method === 'OPTIONS') return answerPreflight(request, reply);
    }
    const problem = headerProblemOf(request.raw);
    if (problem) return done(problem);
    if (!shutdown.isStopping) return done();
    done(noCapacity('This instance is shutting down; try again.', 1));
  };
  return (request, reply, done) => {
    const { raw } = reply;
    if (raw.socket !== null) return begin(request, reply, done);
    const waits = pipelined.queue(raw, request.raw.socket, () => begin(request, reply, done));
    if (!waits) reply.hijack();
  };
}

function protectPages(raw: ServerResponse): void {
  raw.setHeader('content-security-policy', DOCS_POLICY);
  raw.setHeader('x-frame-options', 'DENY');
  raw.setHeader('referrer-policy', 'no-referrer');
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  const wanted = request.headers['access-control-request-headers'];
  reply.raw.writeHead(204, {
    'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
    // Client libraries send telling headers of their own; none of them means anything here.
    'access-control-allow-headers': wanted ?? 'authorization, content-type',
    'access-control-max-age': '7200',
    vary: 'access-control-request-headers',
  });
  reply.raw.end();
}
