import { invalidRequest } from '@svc/errors';
import type { SvcError } from '@svc/errors';

const NOT_FOUND = 404;

/** The refusal of what is asked about a wallet that nobody has registered. */
export function unknownWallet(): SvcError {
  return invalidRequest(
    'The wallet is not known here; check the address, or register it.',
    'wallet',
    NOT_FOUND,
  );
}
