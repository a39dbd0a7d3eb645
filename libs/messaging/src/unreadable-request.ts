import { invalidRequest } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import type { Problem } from '@svc/validation';

/** The refusal of a message that is no JSON at all. */
export function notJson(): SvcError {
  return invalidRequest('The request is not JSON.');
}

/** The refusal of a request for the first of its fields that does not fit, which it names. */
export function unfitRequest({ path, message }: Problem): SvcError {
  return invalidRequest(`${path || 'The request'} ${message}.`, path || undefined);
}
