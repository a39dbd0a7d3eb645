import { SvcError, internalError, invalidRequest, noCapacity } from '@svc/errors';
import { RpcUnavailableError } from '@svc/messaging';

/**
 * Whatever went wrong with a call as an error of the catalogue: billing's own as it is; a request that NATS would not take as
 * `invalid_request` (413); no answer as `no_capacity`, which says whether the work may have been done.
 */
export function toSvcError(error: unknown): SvcError {
  if (SvcError.is(error)) return error;
  if (error instanceof RangeError) return invalidRequest(error.message, undefined, 413);
  if (!RpcUnavailableError.is(error)) return internalError('The call to billing failed.');
  return error.reason === 'no_responders'
    ? noCapacity('Billing does not answer; nothing was done.')
    : noCapacity(`No answer from billing (${error.reason}): what was asked for may have been done.`);
}
