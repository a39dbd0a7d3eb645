import type { Prices } from './listed-model';

const TOKENS_PER_MTOK = 1_000_000n;

/**
 * What tokens cost: ceil((input·Pin + output·Pout) / 10^6) base units, one rounding. The suite's own arithmetic, on purpose.
 */
export function priceOf({ input, output }: Prices, inputTokens: number, outputTokens: number): bigint {
  const scaled = BigInt(inputTokens) * input + BigInt(outputTokens) * output;
  return (scaled + TOKENS_PER_MTOK - 1n) / TOKENS_PER_MTOK;
}

/** Base units of an amount like `0.000123`. @throws SyntaxError for anything else */
export function baseUnitsOf(usdc: string): bigint {
  if (!/^\d+\.\d{6}$/.test(usdc)) throw new SyntaxError(`"${usdc}" is no amount with six decimals`);
  return BigInt(usdc.replace('.', ''));
}
