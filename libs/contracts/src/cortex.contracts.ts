import { Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  Max,
  Min,
} from 'class-validator';
import { IsBaseUnits, IsId, IsModelId } from './fields';
import { defineRpc } from './rpc-contract';

/** What a request asks beyond text; only offers that are certified for all of it are planned. */
export class RequestNeeds {
  /** The request has tools, to be chosen so: `auto`, `none`, `required`, `function`. */
  @IsOptional()
  @IsIn(['auto', 'none', 'required', 'function'])
  toolChoice?: string;

  /** It asks for calls in parallel by name (`parallel_tool_calls: true`). */
  @IsOptional()
  @IsBoolean()
  parallelToolCalls?: boolean;

  /** A tool's schema is strict. A reply's strict schema is part of `structuredOutputs`, which is certified with one. */
  @IsOptional()
  @IsBoolean()
  strictSchemas?: boolean;

  /** `response_format` other than text. */
  @IsOptional()
  @IsBoolean()
  structuredOutputs?: boolean;
}

/** Among what a request to a routing model is planned, and what it may cost; its definition names all, a request those that can do what it asks. */
export class RoutingTerms {
  /** The models that may answer. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(64)
  @ArrayUnique()
  @IsModelId({ each: true })
  candidates!: string[];

  /** No offer that asks more than either, base units per million tokens: the routing model's price is a ceiling (spec section 2.3). */
  @IsBaseUnits()
  maxInputPricePerMtok!: string;

  @IsBaseUnits()
  maxOutputPricePerMtok!: string;
}

/** Asks for a plan: which offers to try for one request, in which order. */
export class CreatePlanRequest {
  @IsId()
  requestId!: string;

  /** As the client named it. */
  @IsModelId()
  model!: string;

  /** Of a request to the routing model. Without it only offers of the very `model` are planned: a named model is never substituted. */
  @IsOptional()
  @Nested(() => RoutingTerms)
  routing?: RoutingTerms;

  /** Upper bound on the prompt, tokens. */
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  inputEstimate!: number;

  /**
   * The least that the prompt is likely to need, tokens: an offer whose context does not hold this and `maxTokens` is not planned. A gateway
   * of before does not say it: then it is the estimate.
   */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  inputLeast?: number;

  /** The most the request may generate, tokens. */
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  maxTokens!: number;

  @IsOptional()
  @Nested(() => RequestNeeds)
  needs?: RequestNeeds;

  /** It will hardly come to a run: the plan is made, and not counted as load of whoever is first in it. */
  @IsOptional()
  @IsBoolean()
  tentative?: boolean;
}

/** One offer to try. Prices are pinned here: the hold and the charge use these and no later ones. */
export interface PlannedAttempt {
  offerId: string;
  /** What the offer serves: the request's model, or one of the routing candidates. */
  model: string;
  /** Who is paid. */
  provider: string;
  bundleId: string;
  profileId: string;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  /** A managed vendor's, by its mapping: asked when no provider of the marketplace could. */
  mapping?: string;
  /** Why it stands where it stands; words for people, at most `MOST_WHY_CHARS` characters. */
  why: string;
}

export const MOST_WHY_CHARS = 120;
/** How many offers that are not tried a plan tells of. */
export const MOST_PASSED_OVER = 4;

/** An offer that could have been asked and is not. */
export interface PassedOver {
  offerId: string;
  why: string;
}

export interface Plan {
  /** In the order to try, managed vendors last; empty when nobody can take the request now. */
  attempts: PlannedAttempt[];
  /** The best of those that are not tried, at most `MOST_PASSED_OVER`. */
  passedOver?: PassedOver[];
  /** When empty: whole seconds until it may be worth asking again, 1 to 30. */
  retryAfterSeconds?: number;
}

const queue = 'cortex';

export const cortexContracts = {
  createPlan: defineRpc<CreatePlanRequest, Plan>({
    subject: 'cortex.v1.plan.create',
    queue,
    timeoutMs: 2_000,
    gathered: true,
    request: CreatePlanRequest,
  }),
};
