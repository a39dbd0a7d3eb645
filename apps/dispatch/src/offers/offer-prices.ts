/** Base units per million tokens, as plans and offers have it. */
export interface OfferPrice {
  inputPricePerMtok: string;
  outputPricePerMtok: string;
}

interface FormerPrice extends OfferPrice {
  untilMs: number;
}

/**
 * How long a price is good after the offer has another: plans that were made with it are under way, and ask each of their offers in turn, some
 * of which have minutes for their first token.
 */
export const FORMER_PRICE_MS = 1_800_000;
/** More are not kept; whoever changes its price so often loses some of its plans. */
const MOST_FORMER = 8;

/** What an offer asks, and asked a while ago. Times are of one clock, milliseconds. */
export class OfferPrices {
  private former: FormerPrice[] = [];

  constructor(private current: OfferPrice) {}

  /** This is what it asks from now on. */
  change({ inputPricePerMtok, outputPricePerMtok }: OfferPrice, nowMs: number): void {
    const { current } = this;
    if (isSame(current, { inputPricePerMtok, outputPricePerMtok })) return;
    const kept = this.former.filter(({ untilMs }) => untilMs > nowMs);
    this.former = [...kept, { ...current, untilMs: nowMs + FORMER_PRICE_MS }].slice(-MOST_FORMER);
    this.current = { inputPricePerMtok, outputPricePerMtok };
  }

  /** Whether a plan may name this price: it is no more than the offer asks, or asked a while ago. */
  covers(planned: OfferPrice, nowMs: number): boolean {
    if (isSame(this.current, planned) || isAtMost(planned, this.current)) return true;
    return this.former.some((price) => price.untilMs > nowMs && isAtMost(planned, price));
  }
}

function isSame(one: OfferPrice, other: OfferPrice): boolean {
  return (
    one.inputPricePerMtok === other.inputPricePerMtok && one.outputPricePerMtok === other.outputPricePerMtok
  );
}

function isAtMost(planned: OfferPrice, price: OfferPrice): boolean {
  return (
    unitsOf(planned.inputPricePerMtok) <= unitsOf(price.inputPricePerMtok) &&
    unitsOf(planned.outputPricePerMtok) <= unitsOf(price.outputPricePerMtok)
  );
}

/** What is no amount in a view covers none. */
function unitsOf(text: unknown): bigint {
  return typeof text === 'string' && /^\d+$/.test(text) ? BigInt(text) : -1n;
}
