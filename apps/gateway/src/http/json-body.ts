import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidApiKey, invalidRequest, noCapacity } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import { MAX_JSON_PARTS } from '@svc/openai-api';
import { jsonPartsOf } from '@svc/validation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BodyCollector, discard, whenSent } from './body-collector';
import type { BodyLimits } from './body-collector';

/**
 * What became of a request's body. Problems are carried, not thrown: a missing key is told first, whatever the
 * body is.
 */
export type JsonBody = { ok: true; value: unknown } | { ok: false; error: SvcError };

/** Of a body that came whole, reads it: not before somebody wants it, since until its key is known it may be anybody's. */
type ReceivedBody = () => JsonBody;

/** Requests whose bodies are read, and what they may take together. */
export interface BodyTerms extends BodyLimits {
  /** Whether a request is one of these. The body of one that is among none is not kept while it comes. */
  isWelcome: (request: FastifyRequest) => boolean;
}

type Done = (body: ReceivedBody) => void;

/** Media type `application/json`, whatever its parameters (RFC 9110, section 8.3.1). Of several, which come joined, the first counts. */
const JSON_TYPE = /^application\/json\s*([;,]|$)/i;

function refused(error: SvcError): JsonBody {
  return { ok: false, error };
}

function tooLarge(limitBytes: number): JsonBody {
  return refused(invalidRequest(`The request body is larger than ${limitBytes} bytes.`, undefined, 413));
}

const unsupported = refused(
  invalidRequest('Send the body as application/json, without content encoding.', undefined, 415),
);
/** RFC 9112 (section 6.1) proposes 501, after which SDKs would send it again. */
const transferCoded = refused(
  invalidRequest(
    'Send the body as it is, whole or chunked: no other transfer coding is understood.',
    undefined,
    415,
  ),
);
const busy = refused(noCapacity('Too many requests are being received now; try again.', 1));
/** Never told for another reason: the key is checked before the body is looked at. */
const unwelcome = refused(invalidApiKey());
const malformed = refused(
  invalidRequest('The request body is not JSON, or holds a key that is not allowed (__proto__).'),
);
const foreignText = refused(invalidRequest('The request body is not UTF-8.'));
const tooManyParts = refused(
  invalidRequest(`The request body holds more than ${MAX_JSON_PARTS} JSON values and names of fields.`),
);

const empty = refused(invalidRequest('The request has no body; send a JSON object.'));

/** Reads the body that came with a request, anew each time. */
export function bodyOf(request: FastifyRequest): JsonBody {
  const received = request.body as ReceivedBody | null | undefined;
  return received?.() ?? empty;
}

/**
 * Makes JSON the only body that is taken, within limits; `bodyOf` reads it. What has come lies there as bytes until then: whoever has no key
 * that may be used, which only billing can tell, costs no parsing.
 *
 * A hook takes them, and leaves nothing for Fastify's parsers. Those bind an `AsyncResource` for each request, whose accessors give each
 * a hidden class of its own: it, and with it the whole request, stays until the next major garbage collection.
 * @param kinds the first that welcomes a request has its terms for it; each counts what it holds by itself
 */
export function readJsonBodies(instance: FastifyInstance, kinds: readonly BodyTerms[]): void {
  const parse = instance.getDefaultJsonParser('error', 'ignore');
  const toValue = (request: FastifyRequest, bytes: Buffer): JsonBody => {
    if (bytes.length === 0) return empty;
    if (!isUtf8(bytes)) return foreignText;
    const text = bytes.toString('utf8');
    if (holdsTooManyParts(text)) return tooManyParts;
    let body = malformed;
    // It calls back before it returns.
    void parse(request, text, (error, value) => {
      if (!error) body = { ok: true, value };
    });
    return body;
  };
  const collectors = kinds.map((terms) => new BodyCollector(terms));
  const read = (request: FastifyRequest, reply: FastifyReply, done: Done) => {
    const { raw } = request;
    const refuse = (body: JsonBody) => {
      // Closing a connection of which something is unread resets it, and the answer is lost (RFC 9112, section 9.6).
      const refusal = () => body;
      if (closesWith(reply.raw)) whenSent(raw, () => done(refusal));
      else done(refusal);
    };
    if (!JSON_TYPE.test(raw.headers['content-type'] ?? '')) {
      discard(raw);
      return refuse(unsupported);
    }
    const collector = collectors.find(({ terms }) => terms.isWelcome(request));
    const refusal = collector ? refusalByHeaders(request, collector.terms) : unwelcome;
    if (collector && !refusal) {
      return collector.collect(raw, {
        whole: (bytes) => done(() => toValue(request, bytes)),
        tooLarge: () => refuse(tooLarge(collector.terms.limitBytes)),
        crowdedOut: () => {
          // It broke off, and was answered just now.
          if (reply.raw.headersSent) return;
          // Who has stopped half-way would keep the connection until the request's time is over.
          reply.raw.setHeader('connection', 'close');
          done(() => busy);
        },
      });
    }
    discard(raw);
    refuse(refusal ?? unwelcome);
  };
  instance.removeAllContentTypeParsers();
  instance.addHook('preParsing', (request, reply, _payload, next) => {
    if (!mayHaveBody(request.raw)) return next(null);
    read(request, reply, (body) => {
      request.body = body;
      leaveNothing(request.raw);
      next(null);
    });
  });
}

/** Nothing can hold more of them than characters, so that most bodies are not looked through. */
function holdsTooManyParts(text: string): boolean {
  return text.length > MAX_JSON_PARTS && jsonPartsOf(text, { parts: MAX_JSON_PARTS }) === Infinity;
}

/** Methods whose bodies mean nothing (RFC 9110, sections 9.3.1, 9.3.2, 9.3.8). */
const BODYLESS = new Set(['GET', 'HEAD', 'TRACE']);

function mayHaveBody({ method = '', headers }: IncomingMessage): boolean {
  if (BODYLESS.has(method)) return false;
  const length = headers['content-length'] ?? '0';
  return (
    headers['content-type'] !== undefined || headers['transfer-encoding'] !== undefined || length !== '0'
  );
}

/** Whether its connection is closed after this reply: the client asked for that, or the instance is leaving. */
function closesWith(reply: ServerResponse): boolean {
  return !reply.shouldKeepAlive || reply.getHeader('connection') === 'close';
}

/** To Fastify, the request has no body that is still to be read. */
function leaveNothing({ headers }: IncomingMessage): void {
  headers['content-type'] = headers['content-length'] = headers['transfer-encoding'] = undefined;
}

function refusalByHeaders(request: FastifyRequest, terms: BodyTerms): JsonBody | undefined {
  const { headers } = request;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return unsupported;
  // Node takes the chunks apart and leaves the codings below them as they are.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') return transferCoded;
  return Number(headers['content-length']) > terms.limitBytes ? tooLarge(terms.limitBytes) : undefined;
}
