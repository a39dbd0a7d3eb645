import type {
  BundleDefinition,
  ModelDefinition,
  OutputLimitField,
  RoutingModelDefinition,
} from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import type { Prisma } from '@svc/persistence';
import type { Definitions, Kind, ManagedVendor } from './definitions';

/** A table's rows as they are read. */
interface Rows {
  models: Prisma.CatalogModelGetPayload<object>;
  bundles: Prisma.BundleGetPayload<object>;
  profiles: Prisma.ProfileGetPayload<object>;
  routingModels: Prisma.RoutingModelGetPayload<object>;
  managedVendors: Prisma.ManagedVendorGetPayload<object>;
}

/** A definition from its row: field for field what was applied, so that the two can be compared. */
export const fromRow: { [K in Kind]: (row: Rows[K]) => Definitions[K] } = {
  models: ({
    id,
    ownedBy,
    contextLimit,
    workload,
    maxInputPricePerMtok: input,
    maxOutputPricePerMtok: output,
    createdAt: _,
    ...capabilities
  }) => ({
    id,
    ownedBy,
    contextLimit,
    capabilities: {
      // The table's own check allows these two only.
      workload: workload as ModelDefinition['capabilities']['workload'],
      ...capabilities,
    },
    ...(input !== null && { maxInputPricePerMtok: input.toString() }),
    ...(output !== null && { maxOutputPricePerMtok: output.toString() }),
  }),
  bundles: ({ modelId: model, createdAt: _, ...rest }) => ({ model, ...rest }),
  profiles: ({ createdAt: _, ...profile }) => profile,
  routingModels: ({ createdAt: _, maxInputPricePerMtok, maxOutputPricePerMtok, ...rest }) => ({
    ...rest,
    maxInputPricePerMtok: maxInputPricePerMtok.toString(),
    maxOutputPricePerMtok: maxOutputPricePerMtok.toString(),
  }),
  managedVendors: ({
    modelId: model,
    credential,
    inputPricePerMtok,
    outputPricePerMtok,
    outputLimitField,
    reasoningField,
    version: _,
    createdAt: __,
    ...rest
  }) => ({
    ...rest,
    model,
    // The table's own checks allow no others.
    outputLimitField: outputLimitField as OutputLimitField,
    reasoningField: reasoningField as ManagedVendor['reasoningField'],
    inputPricePerMtok: inputPricePerMtok.toString(),
    outputPricePerMtok: outputPricePerMtok.toString(),
    ...(credential !== null && { credential }),
  }),
};

/** A price ceiling that the definition does not name is taken away. */
export function modelRow(definition: ModelDefinition): Prisma.CatalogModelCreateManyInput {
  const { capabilities, maxInputPricePerMtok: input, maxOutputPricePerMtok: output, ...rest } = definition;
  return {
    ...rest,
    ...capabilities,
    maxInputPricePerMtok: input === undefined ? null : parseBaseUnits(input),
    maxOutputPricePerMtok: output === undefined ? null : parseBaseUnits(output),
  };
}

export function bundleRow({ model, ...rest }: BundleDefinition): Prisma.BundleCreateManyInput {
  return { ...rest, modelId: model };
}

export function routingModelRow(definition: RoutingModelDefinition): Prisma.RoutingModelUncheckedCreateInput {
  return {
    ...definition,
    maxInputPricePerMtok: parseBaseUnits(definition.maxInputPricePerMtok),
    maxOutputPricePerMtok: parseBaseUnits(definition.maxOutputPricePerMtok),
  };
}

export function managedVendorRow({
  model,
  ...rest
}: ManagedVendor): Prisma.ManagedVendorUncheckedCreateInput {
  return {
    ...rest,
    modelId: model,
    credential: rest.credential ?? null,
    inputPricePerMtok: parseBaseUnits(rest.inputPricePerMtok),
    outputPricePerMtok: parseBaseUnits(rest.outputPricePerMtok),
  };
}
