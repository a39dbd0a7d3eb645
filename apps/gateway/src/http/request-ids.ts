import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const PREFIX = 'req_';
/** Milliseconds in base 36: nine digits last until the year 5188. */
const TIME_DIGITS = 9;

/** A request id: `req_`, the time in milliseconds, 96 random bits. Ids sort by time. */
export function newRequestId(nowMs: number = Date.now()): string {
  const random = randomUUID();
  const time = nowMs.toString(36).padStart(TIME_DIGITS, '0');
  // Without the UUID's fixed bits.
  return `${PREFIX}${time}${random.slice(0, 8)}${random.slice(9, 13)}${random.slice(24)}`;
}

/** Whether it has the form of a request's id; whether there is such a request is known to billing. */
export function isRequestId(text: string): boolean {
  return /^req_[A-Za-z0-9_-]{1,76}$/.test(text);
}

/** When the request came, Unix seconds: as whoever repeats it knows it too. */
export function createdOf(requestId: string): number {
  const time = requestId.slice(PREFIX.length, PREFIX.length + TIME_DIGITS);
  return Math.floor(parseInt(time, 36) / 1000);
}

/** The completion's id: the request's, in the clothes that clients expect. */
export function completionIdOf(requestId: string): string {
  return `chatcmpl-${requestId.slice(PREFIX.length)}`;
}

/** The name in the interface, and the one that the official SDKs read: their `_request_id`, and `requestID` of errors. */
export const REQUEST_ID_HEADERS = ['x-svc-request-id', 'x-request-id'] as const;

/** Tells the request's id under every name. */
export function tellRequestId(raw: ServerResponse, requestId: string): void {
  for (const name of REQUEST_ID_HEADERS) raw.setHeader(name, requestId);
}
