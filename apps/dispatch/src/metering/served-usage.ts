import type { RunAttempt, ServedUsage, StartRunRequest } from '@svc/contracts';
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
  /** Offers that were asked, the serving one included. */
  attempts: number;
  /** One of the spec's, or `cancelled`. */
  finishReason: string;
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

/** The ledger's view of it: billing recomputes the charge from this. */
export function servedUsage(request: StartRunRequest, by: ServedBy, metered: Metered): ServedUsage {
  const { planned } = by;
  return {
    model: request.model,
    offerId: planned.offerId,
    provider: planned.provider,
    inputPricePerMtok: planned.inputPricePerMtok,
    outputPricePerMtok: planned.outputPricePerMtok,
    promptTokens: metered.promptTokens,
    completionTokens: metered.completionTokens,
    tokenSource: metered.tokenSource,
    attempts: by.attempts,
    finishReason: by.finishReason,
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
