import { notFound } from '@svc/errors';
import { Matches } from 'class-validator';

/** An id of the catalogue's. */
export const CATALOG_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** The field is one of the catalogue's ids. */
export function IsCatalogId(): PropertyDecorator {
  return Matches(CATALOG_ID, { message: 'must be 1 to 80 letters, digits, "_" or "-"' });
}

/**
 * The offer's id in a path.
 * @throws SvcError invalid_request (404): what cannot be an id is the id of no offer
 */
export function readOfferId(text: string): string {
  if (!CATALOG_ID.test(text)) throw notFound('There is no such offer.', 'id');
  return text;
}
