import { invalidRequest } from '@svc/errors';
import { CATALOG_ID } from './supply-fields';

/**
 * The offer's id in a path.
 * @throws SvcError invalid_request (404): what cannot be an id is the id of no offer
 */
export function readOfferId(text: string): string {
  if (!CATALOG_ID.test(text)) throw invalidRequest('There is no such offer.', 'id', 404);
  return text;
}
