import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalidRequest } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * What became of a request's body. Problems are carried, not thrown: a missing key is told first, whatever the
 * body is.
 */
export type JsonBody = { ok: true; value: unknown } | { ok: false; error: SvcError };

type Done = (error: null, body: JsonBody) => void;

/** A body that is refused for its size is read to its end, so that the client gets to see the answer; up to here. */
const MOST_DISCARDED_BYTES = 256 * 1024 * 1024;

function refused(error: SvcError): JsonBody {
  return { ok: false, error };
}

function tooLarge(limitBytes: number): JsonBody {
  return refused(invalidRequest(`The request body is larger than ${limitBytes} bytes.`, undefined, 413));
}

const unsupported = refused(
  invalidRequest('Send the body as application/json, without content encoding.', undefined, 415),
);
const malformed = refused(
  invalidRequest('The request body is not JSON, or holds a key that is not allowed (__proto__).'),
);

/** Reads the body that a request was found to have; a request without one has no `JsonBody`. */
export function bodyOf(request: FastifyRequest): JsonBody {
  const body = request.body as JsonBody | null | undefined;
  return body ?? refused(invalidRequest('The request has no body; send a JSON object.'));
}

/**
 * Makes JSON the only body that is read, up to a limit. Bodies become `JsonBody`.
 * @param limitBytes larger ones are refused with 413
 */
export function readJsonBodies(instance: FastifyInstance, limitBytes: number): void {
  const parse = instance.getDefaultJsonParser('error', 'ignore');
  const toValue = (request: FastifyRequest, bytes: Buffer, done: Done) => {
    if (!isUtf8(bytes)) return done(null, malformed);
    void parse(request, bytes.toString('utf8'), (error, value) => {
      done(null, error ? malformed : { ok: true, value });
    });
  };
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', (request: FastifyRequest, payload, done: Done) => {
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      discard(payload);
      return done(null, unsupported);
    }
    collect(payload, limitBytes, (bytes) => {
      if (bytes) toValue(request, bytes, done);
      else done(null, tooLarge(limitBytes));
    });
  });
  instance.addContentTypeParser('*', (_request, payload, done: Done) => {
    discard(payload);
    done(null, unsupported);
  });
}

/** Calls back once: with the whole body, with what came of it when the client broke off, or without when it is too large. */
function collect(payload: IncomingMessage, limitBytes: number, done: (bytes?: Buffer) => void): void {
  if (Number(payload.headers['content-length']) > limitBytes) {
    discard(payload);
    return done();
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (bytes?: Buffer) => {
    payload.off('data', onData).off('end', onEnd).off('close', onEnd);
    done(bytes);
  };
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= limitBytes) return;
    finish();
    discard(payload);
  };
  const onEnd = () => {
    const [only] = chunks;
    finish(chunks.length === 1 && only ? only : Buffer.concat(chunks, length));
  };
  payload.on('data', onData).on('end', onEnd).on('close', onEnd);
  payload.on('error', () => undefined);
}

function discard(payload: IncomingMessage): void {
  let discarded = 0;
  payload.on('error', () => undefined);
  payload.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MOST_DISCARDED_BYTES) payload.destroy();
  });
}
