import type {
  BundleDefinition,
  ManagedVendorDefinition,
  ModelDefinition,
  ProfileDefinition,
  RoutingModelDefinition,
} from '@svc/contracts';

/** A managed vendor as it is stored: nothing is left to a default, and a credential that was kept stands in it. */
export type ManagedVendor = ManagedVendorDefinition &
  Required<Pick<ManagedVendorDefinition, 'retired' | 'outputLimitField' | 'reasoningField'>>;

/** What the catalogue consists of, by the field of `ApplyCatalogueRequest` that defines it. */
export interface Definitions {
  models: ModelDefinition;
  bundles: BundleDefinition;
  profiles: ProfileDefinition;
  routingModels: RoutingModelDefinition;
  managedVendors: ManagedVendor;
}

export type Kind = keyof Definitions;

/** What each is known by. */
export const idOf: { readonly [K in Kind]: (definition: Definitions[K]) => string } = {
  models: ({ id }) => id,
  bundles: ({ id }) => id,
  profiles: ({ id }) => id,
  routingModels: ({ id }) => id,
  managedVendors: ({ mapping }) => mapping,
};

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
