import { Catch, HttpException, Inject } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { FastifyReply } from 'fastify';
import { OpenAiError, invalidRequest, serverError } from './openai-error';

const PLAIN_WORDS: Readonly<Record<number, string>> = {
  400: 'The body is not valid JSON.',
  404: 'There is nothing at this path.',
  405: 'This path does not take that method.',
  413: 'The body is too large.',
  415: 'Send the body as application/json.',
};

/** Turns every error of the HTTP surface into OpenAI's shape. */
@Catch()
export class OpenAiErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    // The caller hung up, or the reply has begun: nobody is left to tell.
    if (reply.sent || reply.raw.destroyed) return;
    if (error instanceof HttpException && error.getStatus() >= 500) {
      // The health check's own report; nothing else here throws such.
      void reply.status(error.getStatus()).send(error.getResponse());
      return;
    }
    const { fields, body } = this.known(error);
    if (fields.retryAfterSeconds !== undefined) void reply.header('retry-after', fields.retryAfterSeconds);
    void reply.status(fields.status).send(body);
  }

  private known(error: unknown): OpenAiError {
    if (error instanceof OpenAiError) return error;
    const status = statusOf(error);
    if (status >= 400 && status < 500) {
      return invalidRequest(PLAIN_WORDS[status] ?? 'The request does not fit.', undefined, status);
    }
    this.logger.error({ err: error }, 'request failed');
    return serverError(500, 'internal_error', 'Something went wrong inside this provider.');
  }
}

/** The status that Nest (`getStatus`) or Fastify (`statusCode`) gave an error of theirs; 500 for others. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : 500;
}
