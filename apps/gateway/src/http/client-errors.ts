import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toErrorBody } from '@svc/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './error-reply';
import type { RequestHook } from './request-hook';
import { REQUEST_ID_HEADERS, newRequestId } from './request-ids';
import { payloadOfStatus, toPayload } from './to-payload';

const STATUS_OF_PARSER_CODE: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Told of an answer to what was no request: the id and the status that went with it. */
export type BrokenConnectionListener = (requestId: string, status: number) => void;

/** Connections of which nothing more is read, while whole requests before are still served. */
const broken = new WeakSet<Socket>();

/**
 * Answers what is no HTTP, or came too slowly: often there is no request yet, only a socket. Requests that came whole before it on the
 * same connection are answered first (pipelining: RFC 9112, section 9.3.2).
 */
export function answerBrokenConnection(
  onAnswered: BrokenConnectionListener,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasLeft(error, socket) || isUnused(error, socket)) {
    socket.destroy();
    return;
  }
  // Node tells it again with whatever more comes.
  if (broken.has(socket)) return;
  broken.add(socket);
  answerInTurn(STATUS_OF_PARSER_CODE[error.code ?? ''] ?? 400, socket, onAnswered);
}

/** Who ends its side in the middle of a request has left, as Node takes it at the end of a whole one; nobody waits for the replies before. */
function hasLeft({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
  return code === 'HPE_INVALID_EOF_STATE' && replyUnderWay(socket)?.req.complete === true;
}

/**
 * Browsers and load balancers open connections in advance. An answer to nothing would be taken for that to the request which is just being
 * sent, as one that is not to be repeated; a connection that is closed answers nothing.
 */
function isUnused({ code }: NodeJS.ErrnoException, socket: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
}

function answerInTurn(status: number, socket: Socket, onAnswered: BrokenConnectionListener): void {
  const reply = replyUnderWay(socket);
  if (reply?.req.complete) {
    // Node's own listener was there first: by then the next reply has its turn, or the connection was closed as that reply had said.
    reply.once('finish', () => answerInTurn(status, socket, onAnswered));
    return;
  }
  if (!socket.writable) return;
  // Further bytes would be taken for the reply's own, or one request be answered twice.
  if (reply?.headersSent || isAnswered(socket)) {
    socket.destroySoon();
    return;
  }
  // The body broke off: the request has an id and a log line of its own.
  if (reply) return sendError(reply, payloadOfStatus(status), { connection: 'close' });
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
  onAnswered(requestId, status);
}

/** The reply whose turn it is, of a request that came on the connection; Node's own handler looks at the same. */
function replyUnderWay(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

/** Whether the request that is still coming was answered before its body had come; Node's parser keeps it until then. */
function isAnswered(socket: Socket): boolean {
  const { parser } = socket as { parser?: { incoming?: IncomingMessage | null } | null };
  return parser?.incoming?.complete === false && !replyUnderWay(socket);
}

/**
 * Answers a URL that the router cannot read (broken percent-encoding, a part that is too long).
 * @param begin what every other request begins with: the router runs no hook for this one
 */
export function answerBrokenUrl(
  begin: RequestHook,
  status: number,
  [request, reply]: [FastifyRequest, FastifyReply],
): void {
  begin(request, reply, (refusal) => {
    const payload = refusal ? toPayload(refusal) : payloadOfStatus(status);
    request.record.code = payload.code;
    sendError(reply.raw, payload);
  });
}
