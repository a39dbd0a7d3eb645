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
