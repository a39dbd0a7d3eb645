import type { ServerResponse } from 'node:http';
import { ERROR_CODES, toErrorBody } from '@svc/errors';
import type { ErrorCode, ErrorPayload } from '@svc/errors';

/** On a reply that an earlier request under the same idempotency key got. */
export const REPLAY_HEADER = 'x-svc-idempotent-replay';

const UNAUTHORIZED = 401;
/** What a 401 asks for (RFC 9110, section 11.6.1; RFC 6750, section 3). */
const CHALLENGE = 'Bearer realm="svc"';
const LONGEST_RETRY_AFTER_S = 30;
/** Of a client that asked too often: until its minute is over. */
const LONGEST_PAUSE_S = 60;
/** `Retry-After` of codes that always carry it, when nobody knows better. */
const USUAL_RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  no_capacity: 5,
  provider_output_invalid: 1,
};

/** The HTTP status of an error: the code's own unless the payload names another error status. */
export function statusOf({ code, status }: ErrorPayload): number {
  const isError = status !== undefined && Number.isInteger(status) && status >= 400 && status <= 599;
  return isError ? status : ERROR_CODES[code].status;
}

/** Whole seconds for `Retry-After`, 1 to 30, to 60 on a 429; undefined where none is sent. */
export function retryAfterOf({ code, status, retryAfterSeconds }: ErrorPayload): number | undefined {
  const seconds = retryAfterSeconds ?? USUAL_RETRY_AFTER_S[code];
  if (seconds === undefined) return undefined;
  const longest = status === 429 ? LONGEST_PAUSE_S : LONGEST_RETRY_AFTER_S;
  return Math.min(Math.max(Math.ceil(seconds), 1), longest);
}

/**
 * Answers with an error (spec section 2.4), its status and headers. Nothing happens when the reply has begun or the
 * client is gone.
 */
export function sendError(
  raw: ServerResponse,
  payload: ErrorPayload,
  extraHeaders: Record<string, string> = {},
): void {
  if (raw.headersSent || raw.destroyed) return;
  // An error is nobody's earlier reply.
  raw.removeHeader(REPLAY_HEADER);
  const status = statusOf(payload);
  const body = Buffer.from(JSON.stringify(toErrorBody(payload)));
  const retryAfter = retryAfterOf(payload);
  raw.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...(status === UNAUTHORIZED && { 'www-authenticate': CHALLENGE }),
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    // The official SDKs would retry 408, 409 and 429 by themselves.
    ...(status < 500 && { 'x-should-retry': 'false' }),
    ...extraHeaders,
  });
  raw.end(body);
}
