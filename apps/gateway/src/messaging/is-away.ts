import { SvcError } from '@svc/errors';
import { RpcUnavailableError } from '@svc/messaging';

/** Whether the service that was asked does not answer, or has no database or no room for it now. */
export function isAway(error: unknown): boolean {
  return RpcUnavailableError.is(error) || (SvcError.is(error) && error.code === 'no_capacity');
}
