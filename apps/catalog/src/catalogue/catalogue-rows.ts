import type { BundleDefinition, ModelDefinition } from '@svc/contracts';
import type { Prisma } from '@svc/persistence';
import type { Definitions, Kind } from './catalogue';

/** A table's rows as they are read. */
export interface Rows {
  models: Prisma.CatalogModelGetPayload<object>;
  bundles: Prisma.BundleGetPayload<object>;
  profiles: Prisma.ProfileGetPayload<object>;
}

/** A definition from its row: field for field what was applied, so that the two can be compared. */
export const fromRow: { [K in Kind]: (row: Rows[K]) => Definitions[K] } = {
  models: ({ id, ownedBy, contextLimit, workload, createdAt: _, ...capabilities }) => ({
    id,
    ownedBy,
    contextLimit,
    capabilities: {
      // The table's own check allows these two only.
      workload: workload as ModelDefinition['capabilities']['workload'],
      ...capabilities,
    },
  }),
  bundles: ({ modelId: model, createdAt: _, ...rest }) => ({ model, ...rest }),
  profiles: ({ createdAt: _, ...profile }) => profile,
};

export function modelRow({ capabilities, ...rest }: ModelDefinition): Prisma.CatalogModelCreateManyInput {
  return { ...rest, ...capabilities };
}

export function bundleRow({ model, ...rest }: BundleDefinition): Prisma.BundleCreateManyInput {
  return { ...rest, modelId: model };
}
