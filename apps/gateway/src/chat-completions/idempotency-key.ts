import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { IdempotencyClaim } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';
import type { ChatCompletionRequest } from '@svc/openai-api';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;
const PARAM = 'Idempotency-Key';
const HEADER = 'idempotency-key';

/**
 * @returns the request's `Idempotency-Key`, if it has one
 * @throws SvcError invalid_request unless it is one, and has 1 to 255 printable ASCII characters
 */
export function readIdempotencyKey(
  request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
): string | undefined {
  if (request.headers[HEADER] === undefined) return undefined;
  // Among `headers`, several would be one: joined to a key that nobody chose.
  const [key = '', another] = request.headersDistinct[HEADER] ?? [];
  if (another !== undefined) throw invalidRequest(`There is more than one ${PARAM}; send one.`, PARAM);
  if (!PRINTABLE.test(key)) {
    throw invalidRequest(`${PARAM} must have 1 to 255 printable ASCII characters.`, PARAM);
  }
  return key;
}

/**
 * What billing knows a key and its request by: neither can be told from it.
 * @param request as it was validated, before the model had a say: spelling, order and unknown fields make no difference
 */
export function claimOf(
  key: string,
  pepper: string,
  path: string,
  request: ChatCompletionRequest,
): IdempotencyClaim {
  return {
    // API keys are hashed under the same pepper, and none of them begins like this.
    keyHash: createHmac('sha256', pepper).update(`idempotency:${key}`).digest('hex'),
    fingerprint: createHash('sha256')
      .update(`${path}\n${canonicalJson(request)}`)
      .digest('hex'),
  };
}

/** JSON without white space and with the fields of every object in order: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

/** A copy that is written by the engine itself: a function that it asks about each value costs twice as much. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const copy: Record<string, unknown> = {};
  // By code units. Names that are whole numbers come first whatever the order, by their value.
  for (const name of Object.keys(value).sort())
    copy[name] = inOrder((value as Record<string, unknown>)[name]);
  return copy;
}
