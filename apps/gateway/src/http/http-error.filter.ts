import { Catch, HttpException, Inject } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerBrokenUrl } from './client-errors';
import { sendError } from './error-reply';
import type { GatewayHttpAdapter } from './gateway-http.adapter';
import { payloadOfStatus, toPayload } from './to-payload';

/** Every error of the HTTP surface ends here: one body, one table of statuses. */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly adapter: Pick<GatewayHttpAdapter, 'allowedMethods' | 'beginRequest'>,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const health = healthReportOf(error);
    if (health) {
      void reply.status(health.status).send(health.body);
      return;
    }
    if (!reply.sent) reply.hijack();
    // With a method that no route takes, a URL that cannot be read comes here, and no hook has run.
    const { record } = request as Partial<FastifyRequest>;
    if (!record) return answerBrokenUrl(this.adapter.beginRequest, 400, [request, reply]);
    const payload = isQueryRefused(error, request) ? payloadOfStatus(404) : toPayload(error);
    if (payload.code === 'internal_error') {
      this.logger.error({ requestId: request.id, err: error }, 'request failed');
    }
    record.code = payload.code;
    const { method, url } = request.raw;
    const allow = payload.status === 404 ? this.adapter.allowedMethods.of(url ?? '') : undefined;
    // With a method that the path takes, it is the thing asked for that is not there.
    if (!allow || allow.split(', ').includes(method ?? '')) return sendError(reply.raw, payload);
    const message = `This path takes ${allow} only.`;
    sendError(reply.raw, { ...payload, message, status: 405 }, { allow });
  }
}

/**
 * Fastify refuses a QUERY without content (RFC 10008, section 2), which is what it holds one for whose body is read here, before it says
 * that no route takes the method; none does.
 */
function isQueryRefused(error: unknown, { method }: FastifyRequest): boolean {
  return method === 'QUERY' && error instanceof HttpException;
}

/** A health check that found something down keeps the shape that operators' tools know. */
function healthReportOf(error: unknown): { status: number; body: object } | undefined {
  if (!(error instanceof HttpException)) return undefined;
  const body = error.getResponse();
  const isReport = typeof body === 'object' && 'details' in body && 'status' in body;
  return isReport ? { status: error.getStatus(), body } : undefined;
}
