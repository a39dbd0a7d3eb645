import type { RouteStep, RunAttempt, ServedUsage } from '@svc/contracts';
import type { UsageBody } from '../validation/chunk-writer';
import type { Metered } from './meter';

/** How a run was served. */
interface ServedBy {
  planned: RunAttempt;
  /** How many offers were asked, the serving one included, and what became of each of the plan's. */
  trail: { readonly asked: number; readonly route: RouteStep[] };
  times: { readonly firstTokenMs: number | undefined; readonly totalMs: number };
}

/**
 * The ledger's view of what was served: billing recomputes the charge from this.
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
