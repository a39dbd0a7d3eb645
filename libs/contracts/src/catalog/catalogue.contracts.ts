import { Exact, Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { IsBaseUnits, IsId, IsModelId, IsPlainText } from '../fields';
import { IsActor, IsReason, MOST_CATALOG_ACTOR_CHARS, MOST_CATALOG_REASON_CHARS } from '../operator-act';
import { defineRpc } from '../rpc-contract';
import { ManagedVendorDefinition, RoutingModelDefinition } from './answering.contracts';

export class ModelCapabilities {
  @IsIn(['chat', 'embedding'])
  workload!: 'chat' | 'embedding';

  @IsBoolean()
  tools!: boolean;

  @IsBoolean()
  structuredOutputs!: boolean;

  @IsBoolean()
  reasoning!: boolean;

  @IsBoolean()
  streaming!: boolean;

  @IsInt()
  @Min(1)
  @Max(10_000_000)
  maxOutputTokens!: number;
}

/** What a model's tools were certified for (spec section 2.3, `tool_contract`). */
export class ToolContract {
  @IsArray()
  @ArrayMaxSize(8)
  @IsIn(['auto', 'none', 'required', 'function'], { each: true })
  tool_choice!: string[];

  @IsBoolean()
  parallel_tool_calls!: boolean;

  @IsBoolean()
  strict_schemas!: boolean;

  @IsIn(['buffered'])
  tool_streaming!: string;

  /** Largest certified argument document in bytes; 0 means untested. */
  @IsInt()
  @Min(0)
  max_argument_bytes!: number;

  @IsInt()
  @Min(0)
  certified_concurrency!: number;

  @IsBoolean()
  agentic_certified!: boolean;

  @IsInt()
  @Min(0)
  metering_version!: number;

  @IsString()
  @MaxLength(80)
  certification_id!: string;
}

/** A model as operators define it. `capabilities` is the most that any offer of it is certified for. */
@Exact()
export class ModelDefinition {
  @IsModelId()
  id!: string;

  @IsString()
  @Length(1, 80)
  @IsPlainText()
  ownedBy!: string;

  /** Context window in tokens. */
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  contextLimit!: number;

  @Nested(() => ModelCapabilities)
  capabilities!: ModelCapabilities;

  /**
   * The most that an offer of it may ask, base units per million tokens; absent: `MAX_PRICE_PER_MTOK`. A dearer one is refused; one
   * that is dearer than a later definition allows is suspended (`price_above_ceiling`) until it asks less.
   */
  @IsOptional()
  @IsBaseUnits()
  maxInputPricePerMtok?: string;

  @IsOptional()
  @IsBaseUnits()
  maxOutputPricePerMtok?: string;
}

/** One concrete build of a model: weights, quantisation, engine. */
@Exact()
export class BundleDefinition {
  @IsId()
  id!: string;

  @IsModelId()
  model!: string;

  @IsString()
  @MaxLength(120)
  @IsPlainText()
  weightsDigest!: string;

  @IsString()
  @MaxLength(40)
  @IsPlainText()
  quantisation!: string;

  @IsString()
  @MaxLength(80)
  @IsPlainText()
  engine!: string;
}

/** How a bundle is run. */
@Exact()
export class ProfileDefinition {
  @IsId()
  id!: string;

  @IsString()
  @MaxLength(80)
  @IsPlainText()
  hardwareClass!: string;

  @IsInt()
  @Min(1)
  @Max(100_000_000)
  contextLimit!: number;

  @IsString()
  @MaxLength(40)
  @IsPlainText()
  speedTier!: string;
}

/**
 * An operator defines or redefines what may be sold, all in one commit; what is not named stays as it is. By whom and at what price
 * it is sold, providers say themselves (`supply.contracts.ts`).
 * Errors: invalid_request (400) with the path of the field that does not fit; no_capacity while dispatch, which says whether a
 * vendor's endpoint may be called, is away.
 */
export class ApplyCatalogueRequest {
  @IsArray()
  @ArrayMaxSize(1_000)
  @Nested(() => ModelDefinition, { each: true })
  models!: ModelDefinition[];

  @IsArray()
  @ArrayMaxSize(1_000)
  @Nested(() => BundleDefinition, { each: true })
  bundles!: BundleDefinition[];

  @IsArray()
  @ArrayMaxSize(1_000)
  @Nested(() => ProfileDefinition, { each: true })
  profiles!: ProfileDefinition[];

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @Nested(() => RoutingModelDefinition, { each: true })
  routingModels?: RoutingModelDefinition[];

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @Nested(() => ManagedVendorDefinition, { each: true })
  managedVendors?: ManagedVendorDefinition[];

  /** Who does it; `operator` unless told. */
  @IsOptional()
  @IsActor({ most: MOST_CATALOG_ACTOR_CHARS })
  actor?: string;

  /** Why, for the audit trail. */
  @IsOptional()
  @IsReason({ most: MOST_CATALOG_REASON_CHARS })
  reason?: string;
}

export interface AppliedCatalogue {
  models: number;
  bundles: number;
  profiles: number;
  routingModels: number;
  /** Without those that are retired. */
  managedVendors: number;
}

/** Lists what answers beside providers' offers. */
export class ShowCatalogueRequest {}

export interface ShownCatalogue {
  routingModels: RoutingModelDefinition[];
  /** Those that are retired as well. */
  managedVendors: ShownManagedVendor[];
}

/** Everything but the credential. */
export interface ShownManagedVendor extends Omit<ManagedVendorDefinition, 'credential'> {
  retired: boolean;
  hasCredential: boolean;
  /** How often it was defined. */
  version: number;
}

const queue = 'catalog';

export const catalogueContracts = {
  applyCatalogue: defineRpc<ApplyCatalogueRequest, AppliedCatalogue>({
    subject: 'catalog.v1.catalogue.apply',
    queue,
    timeoutMs: 10_000,
    request: ApplyCatalogueRequest,
  }),
  showCatalogue: defineRpc<ShowCatalogueRequest, ShownCatalogue>({
    subject: 'catalog.v1.catalogue.show',
    queue,
    timeoutMs: 5_000,
    request: ShowCatalogueRequest,
  }),
};
