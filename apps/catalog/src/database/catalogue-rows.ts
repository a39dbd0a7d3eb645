import type {
  BundleDefinition,
  ModelDefinition,
  OfferDefinition,
  ProfileDefinition,
  ProviderDefinition,
  ToolContract,
} from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import { Prisma } from '@svc/persistence';
import type { Definitions, Kind } from '../catalogue/catalogue';

/** A table's rows as they are read. */
export interface Rows {
  models: Prisma.CatalogModelGetPayload<object>;
  bundles: Prisma.BundleGetPayload<object>;
  profiles: Prisma.ProfileGetPayload<object>;
  providers: Prisma.ProviderGetPayload<object>;
  offers: Prisma.OfferGetPayload<object>;
}

/** A definition from its row: field for field what was applied, so that the two can be compared. */
export const fromRow: { [K in Kind]: (row: Rows[K]) => Definitions[K] } = {
  models: (row) => ({
    id: row.id,
    ownedBy: row.ownedBy,
    contextLimit: row.contextLimit,
    capabilities: {
      // The table's own check allows these two only.
      workload: row.workload as ModelDefinition['capabilities']['workload'],
      tools: row.tools,
      structuredOutputs: row.structuredOutputs,
      reasoning: row.reasoning,
      streaming: row.streaming,
      maxOutputTokens: row.maxOutputTokens,
    },
    ...(row.toolContract !== null && { toolContract: row.toolContract as unknown as ToolContract }),
  }),
  bundles: ({ id, modelId: model, weightsDigest, quantisation, engine }) => ({
    id,
    model,
    weightsDigest,
    quantisation,
    engine,
  }),
  profiles: ({ id, hardwareClass, contextLimit, speedTier }) => ({
    id,
    hardwareClass,
    contextLimit,
    speedTier,
  }),
  providers: ({ wallet, name }) => ({ wallet, name }),
  offers: (row) => ({
    id: row.id,
    provider: row.providerWallet,
    bundle: row.bundleId,
    profile: row.profileId,
    endpoint: row.endpoint,
    upstreamModel: row.upstreamModel,
    inputPricePerMtok: row.inputPricePerMtok.toString(),
    outputPricePerMtok: row.outputPricePerMtok.toString(),
    concurrency: row.concurrency,
    firstTokenTimeoutMs: row.firstTokenTimeoutMs,
    chunkTimeoutMs: row.chunkTimeoutMs,
    active: row.active,
  }),
};

export function modelRow(model: ModelDefinition): Prisma.CatalogModelCreateManyInput {
  return {
    id: model.id,
    ownedBy: model.ownedBy,
    contextLimit: model.contextLimit,
    ...model.capabilities,
    toolContract: model.toolContract ? { ...model.toolContract } : Prisma.DbNull,
  };
}

export function bundleRow({ model, ...rest }: BundleDefinition): Prisma.BundleCreateManyInput {
  return { ...rest, modelId: model };
}

export function profileRow(profile: ProfileDefinition): Prisma.ProfileCreateManyInput {
  return { ...profile };
}

export function providerRow(provider: ProviderDefinition): Prisma.ProviderCreateManyInput {
  return { ...provider };
}

export function offerRow({
  provider,
  bundle,
  profile,
  inputPricePerMtok,
  outputPricePerMtok,
  ...rest
}: OfferDefinition): Prisma.OfferCreateManyInput {
  return {
    ...rest,
    providerWallet: provider,
    bundleId: bundle,
    profileId: profile,
    inputPricePerMtok: parseBaseUnits(inputPricePerMtok),
    outputPricePerMtok: parseBaseUnits(outputPricePerMtok),
  };
}
