import { HttpException } from '@nestjs/common';
import { SvcError, internalError, invalidRequest, noCapacity, toErrorPayload } from '@svc/errors';
import type { ErrorPayload } from '@svc/errors';
import { RpcUnavailableError } from '@svc/messaging';

/** Words for what the HTTP layer itself refuses; its own words tell of libraries. */
const WORDS_OF_STATUS: Record<number, string> = {
  400: 'The request is malformed.',
  404: 'There is nothing at this path. Chat completions are at POST /v1/chat/completions.',
  408: 'The request did not arrive in time.',
  413: 'The request body is too large.',
  414: 'The URL is too long.',
  415: 'Send the body as application/json, without content encoding.',
  431: 'The request headers are too large.',
};

/** An error of the HTTP layer in the catalogue's terms. */
export function payloadOfStatus(status: number): ErrorPayload {
  if (status < 400 || status >= 500) return internalError().payload;
  return invalidRequest(WORDS_OF_STATUS[status] ?? 'The request cannot be served.', undefined, status)
    .payload;
}

/** What a client may learn of anything thrown while its request was served. */
export function toPayload(error: unknown): ErrorPayload {
  if (SvcError.is(error)) return error.payload;
  if (RpcUnavailableError.is(error)) {
    return noCapacity('A part of the service is not reachable now. Nothing was charged.').payload;
  }
  if (error instanceof HttpException) return payloadOfStatus(error.getStatus());
  return toErrorPayload(error);
}
