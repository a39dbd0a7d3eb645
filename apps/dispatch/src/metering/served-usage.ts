import type { RouteStep, RunAttempt, ServedUsage, StartRunRequest } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import type { UsageBody } from '../validation/chunk-writer';
import { meter } from './meter';
import type { Metered } from './meter';
import { countPromptTokens } from './token-count';
import type { ClaimedUsage } from '../validation/whole-reply';

/** What was served of a run, and by whom. */
export interface Served {
  planned: RunAttempt;
  claimed: ClaimedUsage | undefined;
  outputBytes: number;
  toolCalls: number;
}

/** How it was served, for the ledger. */
export interface ServedBy {
  planned: RunAttempt;
  /** How many offers were asked, the serving one included, and what became of each of the plan's. */
  trail: { readonly asked: number; readonly route: RouteStep[] };
  times: { readonly firstTokenMs: number | undefined; readonly totalMs: number };
}

export function meterServed(request: StartRunRequest, served: Served): Metered {
  return meter(
    {
      claimed: served.claimed,
      outputBytes: served.outputBytes,
      toolCalls: served.toolCalls,
      countPrompt: () => countPromptTokens(request.body),
    },
    {
      inputEstimate: request.inputEstimate,
      maxTokens: request.maxTokens,
      held: parseBaseUnits(request.hold.amount),
      prices: {
        inputPerMtok: parseBaseUnits(served.planned.inputPricePerMtok),
        outputPerMtok: parseBaseUnits(served.planned.outputPricePerMtok),
      },
    },
  );
}

/**
 * The ledger's view of it: billing recomputes the charge from this.
 * @param finishReason one of the spec's, or `cancelled`
 */
export function servedUsage(
  { planned, trail, times }: ServedBy,
  finishReason: string,
  metered: Metered,
): ServedUsage {
  return {
    model: planned.model,
    offerId: planned.offerId,
    provider: planned.provider,
    inputPricePerMtok: planned.inputPricePerMtok,
    outputPricePerMtok: planned.outputPricePerMtok,
    promptTokens: metered.promptTokens,
    completionTokens: metered.completionTokens,
    tokenSource: metered.tokenSource,
    attempts: trail.asked,
    finishReason,
    route: trail.route,
    ...(times.firstTokenMs !== undefined && { firstTokenMs: Math.round(times.firstTokenMs) }),
    totalMs: Math.round(times.totalMs),
  };
}

/** The client's view of it (spec section 2.2). */
export function usageBody({ promptTokens, completionTokens }: Metered): UsageBody {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
