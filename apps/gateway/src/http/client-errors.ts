import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toErrorBody } from '@svc/errors';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './error-reply';
import { REQUEST_ID_HEADERS, newRequestId, tellRequestId } from './request-ids';
import { payloadOfStatus } from './to-payload';

const STATUS_OF_PARSER_CODE: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Answers what is no HTTP, or came too slowly: there is no request yet, only a socket. Behind a reply that has begun nothing can be said. */
export function answerBrokenConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (hasBegunReply(socket)) {
    // Further bytes would be taken for the reply's own.
    socket.destroySoon();
    return;
  }
  const status = STATUS_OF_PARSER_CODE[error.code ?? ''] ?? 400;
  const body = JSON.stringify(toErrorBody(payloadOfStatus(status)));
  const requestId = newRequestId();
  socket.end(
    [
      `HTTP/1.1 ${status} ${REASONS[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      ...REQUEST_ID_HEADERS.map((name) => `${name}: ${requestId}`),
      'x-should-retry: false',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroySoon(),
  );
}

/** Whether an earlier request's reply is on its way; Node's own handler looks at the same. */
function hasBegunReply(socket: Socket): boolean {
  const { _httpMessage: reply } = socket as { _httpMessage?: ServerResponse | null };
  return reply?.headersSent ?? false;
}

/** Answers a URL that the router cannot read (broken percent-encoding, a part that is too long); no hook has run for it. */
export function answerBrokenUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  tellRequestId(reply.raw, request.id);
  sendError(reply.raw, payloadOfStatus(error.statusCode ?? 400));
}
