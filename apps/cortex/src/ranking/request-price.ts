/** Base units per million tokens. */
interface OfferPrices {
  readonly inputPricePerMtok: bigint;
  readonly outputPricePerMtok: bigint;
}

/** What a request needs, in tokens: upper bounds. */
export interface Demand {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Most replies are far shorter than they may be: without `max_tokens` a request may have 16,384, and few write a tenth of that. */
const LIKELY_OUTPUT_TOKENS = 512;

/**
 * What a request will probably need. Held is the most; ranked by the most, an offer that is dear where tokens are spent and cheap where
 * they are only allowed for would come first.
 */
export function likelyDemand({ inputTokens, outputTokens }: Demand): Demand {
  return { inputTokens, outputTokens: Math.min(outputTokens, LIKELY_OUTPUT_TOKENS) };
}

/** What a request costs with an offer at most, in millionths of a base unit: exact, and enough to compare by. */
export function requestPrice(offer: OfferPrices, { inputTokens, outputTokens }: Demand): bigint {
  return offer.inputPricePerMtok * BigInt(inputTokens) + offer.outputPricePerMtok * BigInt(outputTokens);
}
