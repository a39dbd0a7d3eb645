import { invalidRequest } from '@svc/errors';
import { Matches } from 'class-validator';

/** An EVM address, in whatever case it was written. */
export const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
export const EXAMPLE_WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

/** The field is an EVM address; its case means nothing, neither here nor in what is signed. */
export function IsAddress(): PropertyDecorator {
  return Matches(ADDRESS, { message: 'must be an EVM address: 0x and 40 hex digits' });
}

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
