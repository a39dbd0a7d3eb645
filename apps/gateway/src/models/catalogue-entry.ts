import {
  IsBaseUnits,
  IsModelId,
  ModelCapabilities,
  RoutingModelDefinition,
  ToolContract,
} from '@svc/contracts';
import type { ModelView, ParallelBeside, RoutingModelView, ViewPricing } from '@svc/contracts';
import { Nested, compileValidator } from '@svc/validation';
import { IsBoolean, IsInt, IsOptional, IsString, Min } from 'class-validator';

class PricingEntry implements ViewPricing {
  @IsBaseUnits()
  inputPricePerMtok!: string;

  @IsBaseUnits()
  outputPricePerMtok!: string;
}

class ParallelBesideEntry implements ParallelBeside {
  @IsBoolean()
  strictSchemas!: boolean;

  @IsBoolean()
  structuredOutputs!: boolean;
}

class ModelEntry implements ModelView {
  @IsModelId()
  id!: string;

  @IsInt()
  created!: number;

  @IsString()
  ownedBy!: string;

  @IsInt()
  @Min(1)
  contextLimit!: number;

  @Nested(() => ModelCapabilities)
  capabilities!: ModelCapabilities;

  @IsOptional()
  @Nested(() => ToolContract)
  toolContract?: ToolContract;

  @IsOptional()
  @IsBoolean()
  parallelCalls?: boolean;

  @IsOptional()
  @Nested(() => ParallelBesideEntry)
  parallelBeside?: ParallelBesideEntry;

  @IsOptional()
  @Nested(() => PricingEntry)
  pricing?: PricingEntry;

  @IsOptional()
  @Nested(() => PricingEntry)
  managedPricing?: PricingEntry;
}

class RoutingModelEntry extends RoutingModelDefinition implements RoutingModelView {
  @IsInt()
  created!: number;
}

export type CatalogueEntry = ModelView | RoutingModelView;

const readModel = compileValidator(ModelEntry);
const readRoutingModel = compileValidator(RoutingModelEntry);

/** Entries are read once: a changed entry is another object. */
const READ = new WeakMap<object, CatalogueEntry | null>();

/**
 * An entry of the models' bucket, with the fields that are known. What is in the bucket is not taken on trust: an entry that is
 * no model must not keep the others from being listed or chosen.
 * @returns the same object for the same entry; undefined for what is no model
 */
export function readEntry(entry: unknown): CatalogueEntry | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  let read = READ.get(entry);
  if (read === undefined) {
    const result = 'candidates' in entry ? readRoutingModel(entry) : readModel(entry);
    READ.set(entry, (read = result.ok ? result.value : null));
  }
  return read ?? undefined;
}
