import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AllowedMethods } from './allowed-methods';
import { answerBrokenConnection, answerBrokenUrl } from './client-errors';
import type { BrokenConnectionListener } from './client-errors';
import { MAX_HEADERS } from './header-problem';
import type { RequestHook } from './request-hook';
import { newRequestId } from './request-ids';
import { plainUrl } from './request-path';

/** Patience with clients; what each must send in time, so that slow senders hold no connections. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the usual 60 s of a load balancer in front, so that it never reuses a connection just closed. */
const KEEP_ALIVE_MS = 72_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** The HTTP server of the gateway: Fastify with limits, our ids, our words for broken requests. */
export class GatewayHttpAdapter extends FastifyAdapter {
  readonly allowedMethods = new AllowedMethods();
  /** What every request begins with; set before the first one comes. */
  beginRequest!: RequestHook;
  /** Set with it. */
  onBrokenConnection!: BrokenConnectionListener;

  /** @param trustedProxies addresses and networks whose `X-Forwarded-For` is believed; nobody's when there are none */
  constructor(maxConnections: number, trustedProxies: readonly string[] = []) {
    super({
      trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
      // No middleware is used; its layer would cost on every request.
      skipMiddie: true,
      genReqId: () => newRequestId(),
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      http: {
        headersTimeout: HEADERS_TIMEOUT_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
        connectionsCheckingInterval: 5_000,
        // Node would answer without a body or an id; the request hook refuses it.
        requireHostHeader: false,
        // Of several keys Node would tell the first, others in the request's way perhaps the last. Joined they are no key.
        joinDuplicateHeaders: true,
      },
      // The request hook answers while stopping, in our own words.
      return503OnClosing: false,
      clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
        answerBrokenConnection(this.onBrokenConnection, error, socket),
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
        answerBrokenUrl(this.beginRequest, error.statusCode ?? 400, [request, reply]),
      rewriteUrl: ({ url = '' }) => plainUrl(url),
      // Model ids in paths are long enough as it is.
      routerOptions: { maxParamLength: 512 },
    });
    const instance = this.getInstance<FastifyInstance>();
    instance.server.maxConnections = maxConnections;
    instance.server.maxHeadersCount = MAX_HEADERS;
    // An expectation that nobody knows may be passed over (RFC 9110, section 10.1.1); Node would answer it without a body or an id.
    instance.server.on('checkExpectation', (request, reply) =>
      instance.server.emit('request', request, reply),
    );
    this.allowedMethods.follow(instance);
  }

  /** Bodies are read by `readJsonBodies`. */
  override registerParserMiddleware(): void {}
}
