import { Nested } from '@svc/validation';
import { IsBoolean, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { IsId, IsModelId } from './fields';
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

/** Asks for a plan: which offers to try for one request, in which order. */
export class CreatePlanRequest {
  @IsId()
  requestId!: string;

  @IsModelId()
  model!: string;

  /** Upper bound on the prompt, tokens. */
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  inputEstimate!: number;

  /** The most the request may generate, tokens. */
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  maxTokens!: number;

  @IsOptional()
  @Nested(() => RequestNeeds)
  needs?: RequestNeeds;
}

/** One offer to try. Prices are pinned here: the hold and the charge use these and no later ones. */
export interface PlannedAttempt {
  offerId: string;
  provider: string;
  bundleId: string;
  profileId: string;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
}

export interface Plan {
  /** In the order to try; empty when nobody can take the request now. */
  attempts: PlannedAttempt[];
  /** When empty: whole seconds until it may be worth asking again, 1 to 30. */
  retryAfterSeconds?: number;
}

const queue = 'cortex';

export const cortexContracts = {
  createPlan: defineRpc<CreatePlanRequest, Plan>({
    subject: 'cortex.v1.plan.create',
    queue,
    timeoutMs: 2_000,
    request: CreatePlanRequest,
  }),
};
