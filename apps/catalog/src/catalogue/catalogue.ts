import type {
  BundleDefinition,
  ModelDefinition,
  OfferDefinition,
  ProfileDefinition,
  ProviderDefinition,
} from '@svc/contracts';

/** What the catalogue consists of, by the field of `ApplyCatalogueRequest` that defines it. */
export interface Definitions {
  models: ModelDefinition;
  bundles: BundleDefinition;
  profiles: ProfileDefinition;
  providers: ProviderDefinition;
  offers: OfferDefinition;
}

export type Kind = keyof Definitions;

/** The whole catalogue by id (a provider's id is its wallet). */
export type Catalogue = { readonly [K in Kind]: ReadonlyMap<string, Definitions[K]> };

/** What one request adds and redefines; what it repeats unchanged is in neither. */
export type CatalogueChanges = {
  readonly [K in Kind]: { readonly added: Definitions[K][]; readonly redefined: Definitions[K][] };
};
