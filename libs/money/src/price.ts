/** An offer's prices in base units (10^-6 USDC) per million tokens. */
export interface TokenPrices {
  inputPerMtok: bigint;
  outputPerMtok: bigint;
}

/** Tokens that a price is for. */
export const TOKENS_PER_MTOK = 1_000_000n;

/**
 * The price of a request, in base units: ceil((input·Pin + output·Pout) / 10^6), one rounding. The hold and
 * the settled cost use this same function, so that with no more tokens than estimated real ≤ held.
 * @param inputTokens whole, not negative
 * @param outputTokens whole, not negative
 * @throws RangeError when a token count is not a whole number of at least 0
 */
export function priceOf(prices: TokenPrices, inputTokens: number, outputTokens: number): bigint {
  if (!Number.isSafeInteger(inputTokens) || inputTokens < 0) throw new RangeError('input tokens');
  if (!Number.isSafeInteger(outputTokens) || outputTokens < 0) throw new RangeError('output tokens');
  const scaled = BigInt(inputTokens) * prices.inputPerMtok + BigInt(outputTokens) * prices.outputPerMtok;
  return (scaled + TOKENS_PER_MTOK - 1n) / TOKENS_PER_MTOK;
}

/**
 * The provider's share of a cost: floor(cost · bps / 10^4); the platform keeps the rest.
 * @param shareBps basis points, 0 to 10,000
 */
export function providerShare(cost: bigint, shareBps: number): bigint {
  return (cost * BigInt(shareBps)) / 10_000n;
}

/** Of the tokens that are paid for, most are input. */
const BLENDED_INPUT_PARTS = 3n;

/**
 * One number to order offers by while no request is known: three parts the input price, one part the output price. Not divided by
 * four, so that it is exact.
 */
export function blendedPriceOf({ inputPerMtok, outputPerMtok }: TokenPrices): bigint {
  return inputPerMtok * BLENDED_INPUT_PARTS + outputPerMtok;
}
