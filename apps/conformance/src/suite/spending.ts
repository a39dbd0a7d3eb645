import type { Exchange } from '../exchange/exchange';
import type { ListedModel } from '../target/listed-model';
import type { ModelChoice } from '../target/model-choice';
import { priceOf } from '../target/price';

/** What a served request of the suite generates and says, at most. */
export const OUTPUT_TOKENS = 160;
const INPUT_TOKENS = 600;
/** Without `max_tokens` a model generates no more than this. */
const UNBOUNDED_OUTPUT_TOKENS = 16_384;
/** An offer may ask more than the lowest, which is what a card shows. */
const DEARER = 4n;

/** What a case may be charged for. */
export interface Charges {
  /** Requests that are served, at most. */
  requests: number;
  /** Without `max_tokens`: as much as the model gives. */
  unbounded?: boolean;
  /** Whoever serves them; a provider of a named model unless said. */
  by?: 'routing' | 'fallback';
}

/** What a run may cost, and what it did; base units. */
export class Spending {
  spent = 0n;

  private constructor(readonly most: bigint) {}

  /** @throws NotApplicable when there is nobody to ask */
  static of(charges: readonly (Charges | undefined)[], models: ModelChoice): Spending {
    const bounded = dearest(models.askable, () => OUTPUT_TOKENS) * DEARER;
    const unbounded =
      dearest([models.chat], ({ maxOutputTokens }) => Math.min(maxOutputTokens, UNBOUNDED_OUTPUT_TOKENS)) *
      DEARER;
    // Both are what is paid at most: a ceiling (spec 2.3), and a published price.
    const others = {
      routing: dearest(
        models.all.filter(({ candidates }) => candidates),
        () => OUTPUT_TOKENS,
      ),
      fallback: dearest(
        models.all.map((model) => ({ ...model, prices: model.fallbackPrices })),
        () => OUTPUT_TOKENS,
      ),
    };
    let most = 0n;
    for (const charge of charges) {
      if (!charge) continue;
      const each = charge.by ? others[charge.by] : charge.unbounded ? unbounded : bounded;
      most += BigInt(charge.requests) * each;
    }
    return new Spending(most);
  }

  /** Whether nothing more may be spent. */
  get isUsedUp(): boolean {
    return this.spent > this.most;
  }

  note(exchange: Exchange): void {
    if (exchange.header('x-svc-idempotent-replay') !== undefined) return;
    const [, whole, fraction] = /"cost_usdc":"(\d+)\.(\d{6})"/.exec(exchange.text) ?? [];
    if (whole !== undefined) this.spent += BigInt(`${whole}${fraction}`);
  }
}

/** USDC with six decimals. */
export function usdc(baseUnits: bigint): string {
  const digits = baseUnits.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function dearest(models: readonly ListedModel[], outputOf: (model: ListedModel) => number): bigint {
  return models.reduce((most, model) => {
    const price = model.prices ? priceOf(model.prices, INPUT_TOKENS, outputOf(model)) : 0n;
    return price > most ? price : most;
  }, 0n);
}
