import { FORMER_PRICE_MS, OfferPrices } from './offer-prices';

const price = (input: number, output: number) => ({
  inputPricePerMtok: String(input),
  outputPricePerMtok: String(output),
});

describe('OfferPrices', () => {
  it.each([
    ['the offer’s', price(100, 400), true],
    ['a lower one', price(99, 400), true],
    ['one whose text would come later in a list', price(20, 90), true],
    ['a higher one for input', price(101, 400), false],
    ['a higher one for output, and a lower one for input', price(1, 401), false],
  ])('lets a plan name %s: %j is %s', (_, planned, isCovered) => {
    expect(new OfferPrices(price(100, 400)).covers(planned, 0)).toBe(isCovered);
  });

  it('keeps a price that has fallen for the plans that are under way, and no longer', () => {
    const prices = new OfferPrices(price(100, 400));
    prices.change(price(50, 200), 1_000);
    expect(prices.covers(price(100, 400), 1_000 + FORMER_PRICE_MS - 1)).toBe(true);
    expect(prices.covers(price(101, 400), 1_001)).toBe(false);
    expect(prices.covers(price(100, 400), 1_000 + FORMER_PRICE_MS)).toBe(false);
    expect(prices.covers(price(50, 200), 1_000 + FORMER_PRICE_MS)).toBe(true);
  });

  it('counts from when a price was left, however often the view says the same again', () => {
    const prices = new OfferPrices(price(100, 400));
    for (const nowMs of [0, 30_000, 59_000]) prices.change(price(50, 200), nowMs);
    expect(prices.covers(price(100, 400), FORMER_PRICE_MS)).toBe(false);
  });

  it('covers nothing with what is no amount', () => {
    const prices = new OfferPrices({ inputPricePerMtok: '1' } as unknown as ReturnType<typeof price>);
    expect(prices.covers(price(0, 0), 0)).toBe(false);
  });

  it('takes no price together from two', () => {
    const prices = new OfferPrices(price(100, 200));
    prices.change(price(50, 400), 0);
    expect(prices.covers(price(100, 400), 1)).toBe(false);
  });

  it('keeps no more than a few', () => {
    const prices = new OfferPrices(price(1_000, 1_000));
    for (let left = 20; left > 0; left--) prices.change(price(left, left), 0);
    expect(prices.covers(price(1_000, 1_000), 1)).toBe(false);
    expect(prices.covers(price(8, 8), 1)).toBe(true);
  });
});
