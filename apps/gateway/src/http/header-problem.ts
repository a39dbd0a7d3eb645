import type { IncomingMessage } from 'node:http';
import { invalidRequest } from '@svc/errors';
import type { SvcError } from '@svc/errors';

/** As many headers are read of a request. */
export const MAX_HEADERS = 100;

const TOO_LARGE = 431;
const HOST = 'host';

/** What is wrong with a request's headers that Node lets pass, or would answer without a body and an id. */
export function headerProblemOf({ httpVersion, headers, rawHeaders }: IncomingMessage): SvcError | undefined {
  // Every request has one since HTTP/1.1, and none has more (RFC 9112, section 3.2).
  if (headers.host === undefined && httpVersion !== '1.0')
    return invalidRequest('The request has no Host header.');
  if (hasSecondHost(rawHeaders)) return invalidRequest('The request has more than one Host header.');
  // Names and values. Node leaves out what is beyond, which may be the key, or the Idempotency-Key that keeps a repeat from being charged.
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return invalidRequest(`The request has more than ${MAX_HEADERS} headers.`, undefined, TOO_LARGE);
  return undefined;
}

/** Of several, Node tells one text. */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts++;
  }
  return hosts > 1;
}
