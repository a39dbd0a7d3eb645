import { invalidRequest } from '@svc/errors';
import { ADDRESS } from './supply-fields';

/**
 * The wallet in a path, in lower case.
 * @throws SvcError invalid_request
 */
export function readAddress(text: string): string {
  if (!ADDRESS.test(text)) {
    throw invalidRequest('wallet must be an EVM address: 0x and 40 hex digits.', 'wallet');
  }
  return text.toLowerCase();
}
