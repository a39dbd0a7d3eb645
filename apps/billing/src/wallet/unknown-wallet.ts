import { notFound } from '@svc/errors';
import type { SvcError } from '@svc/errors';

/** The refusal of what is asked about a wallet that nobody has registered. */
export function unknownWallet(): SvcError {
  return notFound('The wallet is not known here; check the address, or register it.', 'wallet');
}
