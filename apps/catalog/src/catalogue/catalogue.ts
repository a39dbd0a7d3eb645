import type { BundleDefinition, ModelDefinition, ProfileDefinition } from '@svc/contracts';

/** What the catalogue consists of, by the field of `ApplyCatalogueRequest` that defines it. */
export interface Definitions {
  models: ModelDefinition;
  bundles: BundleDefinition;
  profiles: ProfileDefinition;
}

export type Kind = keyof Definitions;

/** Definitions by id: all of those that a request names, directly or by reference. */
export type Catalogue = { readonly [K in Kind]: ReadonlyMap<string, Definitions[K]> };

/** What one request adds and redefines; what it repeats unchanged is in neither. */
export type CatalogueChanges = {
  readonly [K in Kind]: { readonly added: Definitions[K][]; readonly redefined: Definitions[K][] };
};

/** A live offer, and how many tokens of context it promises. */
export interface StandingOffer {
  offerId: string;
  contextLimit: number;
}

/** Of each model that is sold, the live offer with the most context. */
export type StandingOffers = ReadonlyMap<string, StandingOffer>;
