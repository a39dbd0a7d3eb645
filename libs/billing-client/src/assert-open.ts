import { internalError } from '@svc/errors';
import type { RpcClient } from '@svc/messaging';

/** @throws SvcError internal_error after `close`: nothing would be sent, and no answer come */
export function assertOpen({ messaging: { connection } }: RpcClient): void {
  if (connection.isClosed() || connection.isDraining())
    throw internalError('This client of billing was closed.');
}
