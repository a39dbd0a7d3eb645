import type { ServedUsage } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';
import { MAX_BASE_UNITS, parseBaseUnits, priceOf, providerShare } from '@svc/money';
import type { Charge } from '../ledger/operation';

/**
 * What a request costs, from its tokens and pinned prices alone: no amount of the caller's is believed.
 * @param shareBps the provider's share, basis points
 * @throws SvcError invalid_request when the price is beyond what the ledger can hold
 */
export function chargeOf(usage: ServedUsage, shareBps: number): Charge {
  const inputPricePerMtok = parseBaseUnits(usage.inputPricePerMtok);
  const outputPricePerMtok = parseBaseUnits(usage.outputPricePerMtok);
  const cost = priceOf(
    { inputPerMtok: inputPricePerMtok, outputPerMtok: outputPricePerMtok },
    usage.promptTokens,
    usage.completionTokens,
  );
  if (cost > MAX_BASE_UNITS)
    throw invalidRequest(
      `The served usage costs more than ${MAX_BASE_UNITS} base units, the most that the ledger takes.`,
      'usage',
    );
  return {
    model: usage.model,
    offerId: usage.offerId,
    provider: usage.provider,
    inputPricePerMtok,
    outputPricePerMtok,
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    tokenSource: usage.tokenSource,
    attempts: usage.attempts,
    finishReason: usage.finishReason,
    route: usage.route && JSON.stringify(usage.route),
    firstTokenMs: usage.firstTokenMs,
    totalMs: usage.totalMs,
    cost,
    providerShare: providerShare(cost, shareBps),
  };
}
