import { isErrorCode } from '@svc/errors';
import type { ErrorCode } from '@svc/errors';
import { Checked, Nested } from '@svc/validation';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { MOST_PASSED_OVER, MOST_WHY_CHARS } from '../cortex.contracts';
import { MOST_RUN_ATTEMPTS } from '../dispatch.contracts';
import { every } from '../every';
import { IsBaseUnits, IsId, IsModelId, IsShortText, IsWallet } from '../fields';

/** One offer that a plan named, and what became of it: kept with the usage record for whoever asks why it was served so. */
export class RouteStep {
  @IsId()
  offerId!: string;

  /** In the plan's words. */
  @IsShortText(MOST_WHY_CHARS)
  why!: string;

  /** `served`; why the attempt failed, in dispatch's words; `stopped`, `not_tried`, or `passed_over` by the plan. */
  @IsShortText(32)
  outcome!: string;
}

/**
 * Where the token counts come from: the provider's own usage, the marketplace's count (usage was missing), or
 * the provider's claim cut down to what the observed bytes allow.
 */
export const TOKEN_SOURCES = ['provider', 'counted', 'capped'] as const;
export type TokenSource = (typeof TOKEN_SOURCES)[number];

/** All that one run may try, and all that its plan may have passed over. */
const MOST_ROUTE_STEPS = MOST_RUN_ATTEMPTS + MOST_PASSED_OVER;

/** The longest time that is told of a request: a day. */
const MOST_MS = 86_400_000;

/** The field is what became of the offers of a plan; it may be absent. */
function IsRoute(): PropertyDecorator {
  return every(
    IsOptional(),
    IsArray(),
    ArrayMaxSize(MOST_ROUTE_STEPS),
    Nested(() => RouteStep, { each: true }),
  );
}

/** The field is a time in milliseconds; it may be absent. */
function IsDuration(): PropertyDecorator {
  return every(IsOptional(), IsInt(), Min(0), Max(MOST_MS));
}

/**
 * What was served, as the ledger needs it: the charge is computed from it and from nothing else. It names no amount of
 * money: the price must fit into the hold, and nobody pays a provider for what goes beyond.
 */
export class ServedUsage {
  @IsModelId()
  model!: string;

  @IsId()
  offerId!: string;

  /** The serving provider's address: who is paid. */
  @IsWallet()
  provider!: string;

  @IsBaseUnits()
  inputPricePerMtok!: string;

  @IsBaseUnits()
  outputPricePerMtok!: string;

  /** Tokens charged: after clamping to what the hold allows. What a provider wrote beyond is paid by nobody. */
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  promptTokens!: number;

  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  completionTokens!: number;

  @IsIn(TOKEN_SOURCES)
  tokenSource!: TokenSource;

  /** How many offers were tried, the serving one included. */
  @IsInt()
  @Min(1)
  @Max(100)
  attempts!: number;

  @IsShortText(32)
  finishReason!: string;

  /** In the plan's order, then what it passed over. Absent: nobody said. */
  @IsRoute()
  route?: RouteStep[];

  /**
   * From the beginning of the work on the request, failed attempts included, to the serving provider's first token;
   * milliseconds. Of a reply that came in one piece, its end. Absent: nobody said.
   */
  @IsDuration()
  firstTokenMs?: number;

  /** From there to the reply's end. Absent: nobody said. */
  @IsDuration()
  totalMs?: number;
}

/** How a request failed: kept for its owner, who is charged nothing. What is not known is absent. */
export class RequestFailure {
  /** What the client was told; absent when it had left, or nobody can say. */
  @IsOptional()
  @Checked(anErrorCode)
  code?: ErrorCode;

  /** How many offers were tried. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(100)
  attempts?: number;

  /** As of `ServedUsage`. */
  @IsRoute()
  route?: RouteStep[];

  /** From the beginning of the work on it to its failure, milliseconds. */
  @IsDuration()
  totalMs?: number;
}

function anErrorCode(code: unknown) {
  return isErrorCode(code) ? undefined : { path: '', message: 'must be an error code' };
}
