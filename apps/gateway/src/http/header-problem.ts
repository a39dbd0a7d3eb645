import type { IncomingMessage } from 'node:http';
import { invalidRequest } from '@svc/errors';
import type { SvcError } from '@svc/errors';

/** As many headers are read of a request. */
export const MAX_HEADERS = 100;

const TOO_LARGE = 431;

/** What is wrong with a request's headers that Node lets pass, or would answer without a body and an id. */
export function headerProblemOf({ httpVersion, headers, rawHeaders }: IncomingMessage): SvcError | undefined {
  // Every request has one since HTTP/1.1 (RFC 9112, section 3.2).
  if (headers.host === undefined && httpVersion !== '1.0')
    return invalidRequest('The request has no Host header.');
  // Names and values. Node leaves out what is beyond, which may be the key, or the Idempotency-Key that keeps a repeat from being charged.
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return invalidRequest(`The request has more than ${MAX_HEADERS} headers.`, undefined, TOO_LARGE);
  return undefined;
}
