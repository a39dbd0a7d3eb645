import {
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
import { RoutingTerms } from '../cortex.contracts';
import { IsBaseUnits, IsId, IsModelId, IsPlainText, IsWallet } from '../fields';

/** How APIs call the most that may be generated: OpenAI's own models that think refuse the older name, many others know no newer one. */
const OUTPUT_LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;
export type OutputLimitField = (typeof OUTPUT_LIMIT_FIELDS)[number];

/**
 * Where servers write what a model thought: in a field of the message, or sealed in one of its calls (`extra_content`, Gemini's). Who
 * writes it in a place reads it there, and some refuse the others.
 */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'extra_content'] as const;
export type ReasoningField = (typeof REASONING_FIELDS)[number];

/** A model that picks among others that are defined (spec section 1, `svc/cortex@1`). Its price is the ceiling of its terms. */
export class RoutingModelDefinition extends RoutingTerms {
  @IsModelId()
  id!: string;

  @IsString()
  @Length(1, 80)
  @IsPlainText()
  ownedBy!: string;
}

/**
 * A vendor with an OpenAI-compatible API that operators vouch for: it answers when no provider of the marketplace can. It is not
 * certified; what it can do is the operator's word.
 */
export class ManagedVendorDefinition {
  /** Names the mapping from our model to the vendor's (spec section 2.2, `fallback:<mapping>`); with `managed-` before it, an offer's id. */
  @IsId()
  @MaxLength(72)
  mapping!: string;

  /** A chat model that is defined; the mapping is this model's for good. */
  @IsModelId()
  model!: string;

  /** Base URL, e.g. `https://api.vendor.example/v1`. */
  @IsString()
  @MaxLength(300)
  @Matches(/^https?:\/\/[^\s?#@]+$/, {
    message: 'must be an http or https URL without user, query and fragment',
  })
  endpoint!: string;

  @IsString()
  @Length(1, 120)
  @IsPlainText()
  upstreamModel!: string;

  /**
   * The endpoint's bearer token, sealed for dispatch and bound to `payee` and `endpoint`. Absent: the one before, as long as those two
   * stay; empty: none any more.
   */
  @IsOptional()
  @IsString()
  @MaxLength(8_192)
  credential?: string;

  /** The operator's wallet that is credited with what the vendor served, and from which its bills are paid. */
  @IsWallet()
  payee!: string;

  /** Published: what clients pay, base units per million tokens. */
  @IsBaseUnits()
  inputPricePerMtok!: string;

  @IsBaseUnits()
  outputPricePerMtok!: string;

  /** At most the model's. */
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  contextLimit!: number;

  @IsInt()
  @Min(1)
  @Max(10_000_000)
  maxOutputTokens!: number;

  @IsBoolean()
  tools!: boolean;

  @IsBoolean()
  structuredOutputs!: boolean;

  @IsInt()
  @Min(1)
  @Max(100_000)
  concurrency!: number;

  @IsInt()
  @Min(100)
  @Max(600_000)
  firstTokenTimeoutMs!: number;

  @IsInt()
  @Min(100)
  @Max(600_000)
  chunkTimeoutMs!: number;

  /** `max_tokens` unless told. */
  @IsOptional()
  @IsIn(OUTPUT_LIMIT_FIELDS)
  outputLimitField?: OutputLimitField;

  /** By which field it takes back what its model thought; `none` unless told. */
  @IsOptional()
  @IsIn(['none', ...REASONING_FIELDS])
  reasoningField?: 'none' | ReasoningField;

  /** It answers no more; a later definition without it brings it back. */
  @IsOptional()
  @IsBoolean()
  retired?: boolean;
}
