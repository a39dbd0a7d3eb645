import type { ServedUsage } from '@svc/contracts';
import { MAX_BASE_UNITS } from '@svc/money';
import { chargeOf } from './charge';

const usage: ServedUsage = {
  model: 'svc/demo@1',
  offerId: 'offer-1',
  provider: `0x${'a'.repeat(40)}`,
  inputPricePerMtok: '150000',
  outputPricePerMtok: '600000',
  promptTokens: 11,
  completionTokens: 7,
  tokenSource: 'provider',
  attempts: 1,
  finishReason: 'stop',
};

describe('chargeOf', () => {
  it('prices tokens with one rounding up, and gives the provider its share rounded down', () => {
    // (11 · 150,000 + 7 · 600,000) / 10^6 = 5.85 → 6; 6 · 0.9 = 5.4 → 5
    expect(chargeOf(usage, 9_000)).toMatchObject({ cost: 6n, providerShare: 5n });
    expect(chargeOf(usage, 10_000)).toMatchObject({ cost: 6n, providerShare: 6n });
    expect(chargeOf(usage, 0)).toMatchObject({ cost: 6n, providerShare: 0n });
  });

  it('believes no amount of the caller’s', () => {
    const claiming = { ...usage, platformLoss: '9223372036854775807', cost: '1', providerShare: '6' };
    expect(chargeOf(claiming, 9_000)).toEqual(chargeOf(usage, 9_000));
  });

  it('refuses a price beyond what the ledger can hold', () => {
    const dear = { ...usage, outputPricePerMtok: String(MAX_BASE_UNITS), completionTokens: 1_000_001 };
    expect(() => chargeOf(dear, 9_000)).toThrow(
      'The served usage costs more than 9223372036854775807 base units, the most that the ledger takes.',
    );
    const dearest = { ...dear, promptTokens: 0, completionTokens: 1_000_000 };
    expect(chargeOf(dearest, 10_000)).toMatchObject({ cost: MAX_BASE_UNITS, providerShare: MAX_BASE_UNITS });
  });

  it('keeps who was asked as JSON, and nothing where that is not told', () => {
    const route = [{ offerId: 'offer-1', why: 'first', outcome: 'served' }];
    expect(chargeOf({ ...usage, route }, 9_000).route).toBe(JSON.stringify(route));
    expect(chargeOf(usage, 9_000).route).toBeUndefined();
  });
});
