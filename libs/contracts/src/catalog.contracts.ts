import { Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { IsBaseUnits, IsId, IsModelId, IsWallet } from './fields';
import { defineRpc } from './rpc-contract';

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

export class ModelDefinition {
  @IsModelId()
  id!: string;

  @IsString()
  @Length(1, 80)
  ownedBy!: string;

  /** Context window in tokens. */
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  contextLimit!: number;

  @Nested(() => ModelCapabilities)
  capabilities!: ModelCapabilities;

  @IsOptional()
  @Nested(() => ToolContract)
  toolContract?: ToolContract;
}

/** One concrete build of a model: weights, quantisation, engine. */
export class BundleDefinition {
  @IsId()
  id!: string;

  @IsModelId()
  model!: string;

  @IsString()
  @MaxLength(120)
  weightsDigest!: string;

  @IsString()
  @MaxLength(40)
  quantisation!: string;

  @IsString()
  @MaxLength(80)
  engine!: string;
}

/** How a bundle is run. */
export class ProfileDefinition {
  @IsId()
  id!: string;

  @IsString()
  @MaxLength(80)
  hardwareClass!: string;

  @IsInt()
  @Min(1)
  @Max(100_000_000)
  contextLimit!: number;

  @IsString()
  @MaxLength(40)
  speedTier!: string;
}

export class ProviderDefinition {
  /** The provider's wallet: its identity, and where it is paid. */
  @IsWallet()
  wallet!: string;

  @IsString()
  @Length(1, 80)
  name!: string;
}

/** A provider sells a bundle under a profile at a price. */
export class OfferDefinition {
  @IsId()
  id!: string;

  @IsWallet()
  provider!: string;

  @IsId()
  bundle!: string;

  @IsId()
  profile!: string;

  /** Base URL of an OpenAI-compatible server, up to and including `/v1`. */
  @Matches(/^https?:\/\/[^\s/]+/, { message: 'must be an http or https URL' })
  @MaxLength(300)
  endpoint!: string;

  /** The model's name on that server. */
  @IsString()
  @Length(1, 200)
  upstreamModel!: string;

  @IsBaseUnits()
  inputPricePerMtok!: string;

  @IsBaseUnits()
  outputPricePerMtok!: string;

  @IsInt()
  @Min(1)
  @Max(100_000)
  concurrency!: number;

  /** How long the first token may take, and the silence between two chunks. */
  @IsInt()
  @Min(100)
  @Max(600_000)
  firstTokenTimeoutMs!: number;

  @IsInt()
  @Min(100)
  @Max(600_000)
  chunkTimeoutMs!: number;

  @IsBoolean()
  active!: boolean;
}

/** Defines or redefines parts of the catalogue, all in one commit. What is not named stays as it is. */
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

  @IsArray()
  @ArrayMaxSize(1_000)
  @Nested(() => ProviderDefinition, { each: true })
  providers!: ProviderDefinition[];

  @IsArray()
  @ArrayMaxSize(1_000)
  @Nested(() => OfferDefinition, { each: true })
  offers!: OfferDefinition[];
}

export interface AppliedCatalogue {
  models: number;
  liveOffers: number;
}

const queue = 'catalog';

export const catalogContracts = {
  applyCatalogue: defineRpc<ApplyCatalogueRequest, AppliedCatalogue>({
    subject: 'catalog.v1.catalogue.apply',
    queue,
    timeoutMs: 10_000,
    request: ApplyCatalogueRequest,
  }),
};
