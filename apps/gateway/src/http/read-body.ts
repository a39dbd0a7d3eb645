import { invalidRequest } from '@svc/errors';
import type { Validator } from '@svc/validation';
import type { FastifyRequest } from 'fastify';
import { bodyOf } from './json-body';

/** @throws SvcError invalid_request with the path of the first field that does not fit */
export function readBody<T>(request: FastifyRequest, validate: Validator<T>): T {
  const body = bodyOf(request);
  if (!body.ok) throw body.error;
  return readFields(body.value, validate);
}

/** As {@link readBody}, of fields that are read already. */
export function readFields<T>(fields: unknown, validate: Validator<T>): T {
  const result = validate(fields);
  if (result.ok) return result.value;
  const { path, message } = result.problem;
  throw invalidRequest(`${path || 'The request body'} ${message}.`, path || undefined);
}
