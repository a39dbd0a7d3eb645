/** Base units per million tokens. */
export interface OfferPrices {
  readonly inputPricePerMtok: bigint;
  readonly outputPricePerMtok: bigint;
}

/** What a request needs, in tokens: upper bounds. */
export interface Demand {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a request costs with an offer at most, in millionths of a base unit: exact, and enough to compare by. */
export function requestPrice(offer: OfferPrices, { inputTokens, outputTokens }: Demand): bigint {
  return offer.inputPricePerMtok * BigInt(inputTokens) + offer.outputPricePerMtok * BigInt(outputTokens);
}
