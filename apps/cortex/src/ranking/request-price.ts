import type { Candidate, Demand } from './candidate';

/** What a request costs with an offer at most, in millionths of a base unit: exact, and enough to compare by. */
export function requestPrice(
  offer: Pick<Candidate, 'inputPricePerMtok' | 'outputPricePerMtok'>,
  { inputTokens, outputTokens }: Demand,
): bigint {
  return offer.inputPricePerMtok * BigInt(inputTokens) + offer.outputPricePerMtok * BigInt(outputTokens);
}
