import type { Definitions, Kind } from '../definitions/definitions';

/** Definitions by what they are known by: all of those that a request names, directly or by reference. */
export type Catalogue = { readonly [K in Kind]: ReadonlyMap<string, Definitions[K]> };

/** What one request adds and redefines; what it repeats unchanged is in neither. */
export type CatalogueChanges = {
  readonly [K in Kind]: { readonly added: Definitions[K][]; readonly redefined: Definitions[K][] };
};

/** A live offer, and how many tokens of context it promises. */
interface StandingOffer {
  offerId: string;
  contextLimit: number;
}

/** Of each model that is sold, the live offer with the most context. */
export type StandingOffers = ReadonlyMap<string, StandingOffer>;
