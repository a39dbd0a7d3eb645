import type { ModelDefinition } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';

const CEILINGS = {
  inputPricePerMtok: 'maxInputPricePerMtok',
  outputPricePerMtok: 'maxOutputPricePerMtok',
} as const;

type Part = keyof typeof CEILINGS;

/** What people are told a price is: each API has a field's name of its own for it. */
const PRICE_NAMES: Readonly<Record<Part, string>> = {
  inputPricePerMtok: 'The input price',
  outputPricePerMtok: 'The output price',
};

/** The most that operators let offers of a model ask; absent: as much as any offer may. */
export type PriceCeilings = Pick<ModelDefinition, (typeof CEILINGS)[Part]>;

/** Base units per million tokens. */
export type OfferPrices = Record<Part, string>;

/** Says which price of an offer, the input's first, is above what operators let offers of its model ask; undefined when none is. */
export function aboveCeiling(
  prices: OfferPrices,
  ceilings: PriceCeilings,
): { part: Part; message: string } | undefined {
  for (const part of ['inputPricePerMtok', 'outputPricePerMtok'] as const) {
    const most = ceilings[CEILINGS[part]];
    if (most === undefined || parseBaseUnits(prices[part]) <= parseBaseUnits(most)) continue;
    return {
      part,
      message: tooMuch(part, prices[part], `offers of the model may ask at most ${most}`),
    };
  }
  return undefined;
}

/** @param bound what would do */
export function tooMuch(part: Part, price: string, bound: string): string {
  return `${PRICE_NAMES[part]} is ${price}; ${bound} (base units per million tokens).`;
}
