import { toBaseUnits } from '../../design/money';

/** What a charge is made of, as one would write it down to check it. All are base units times a million, but the result. */
interface CostSteps {
  input: bigint;
  output: bigint;
  sum: bigint;
  /** `sum` divided by a million and rounded up, once: base units. */
  result: bigint;
}

const PER_MILLION = 1_000_000n;

export interface PricedTokens {
  prompt_tokens: number;
  completion_tokens: number;
  input_price_per_mtok: string;
  output_price_per_mtok: string;
}

/** The marketplace's formula: ceil((prompt · input price + completion · output price) / 10^6). */
export function costSteps(tokens: PricedTokens): CostSteps {
  const input = BigInt(tokens.prompt_tokens) * BigInt(tokens.input_price_per_mtok);
  const output = BigInt(tokens.completion_tokens) * BigInt(tokens.output_price_per_mtok);
  const sum = input + output;
  return { input, output, sum, result: (sum + PER_MILLION - 1n) / PER_MILLION };
}

/** How much of what was held was charged, in hundredths, for a bar: 0 to 100. */
export function shareOf(charged: string, held: string): number {
  const [part, whole] = [toBaseUnits(charged), toBaseUnits(held)];
  return whole <= 0n ? 0 : Number((part * 100n) / whole);
}

/** `1,234,567`. */
export function grouped(value: bigint | number | string): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
