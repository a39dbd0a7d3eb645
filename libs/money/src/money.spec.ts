import fc from 'fast-check';
import { blendedPriceOf, priceOf, providerShare } from './price';
import {
  MAX_BASE_UNITS,
  formatUsdc,
  isBaseUnits,
  isUsdc,
  parseBaseUnits,
  parseSignedUsdc,
  parseUsdc,
  usdcOf,
} from './usdc';

describe('priceOf', () => {
  it('rounds once, upwards (1 token at 1 base unit per million costs 1 base unit)', () => {
    const least = { inputPerMtok: 1n, outputPerMtok: 1n };
    expect(priceOf(least, 1, 1)).toBe(1n);
    expect([1, 1_000_000, 1_000_001].map((tokens) => priceOf(least, tokens, 0))).toEqual([1n, 1n, 2n]);
    expect(priceOf({ inputPerMtok: 10n ** 12n, outputPerMtok: 0n }, 1_000_000, 9)).toBe(10n ** 12n);
    expect(priceOf({ inputPerMtok: 150_000n, outputPerMtok: 600_000n }, 1000, 500)).toBe(450n);
    expect(priceOf({ inputPerMtok: 150_000n, outputPerMtok: 600_000n }, 0, 0)).toBe(0n);
  });

  it('never charges more for fewer tokens', () => {
    const tokens = fc.nat(2_000_000);
    const price = fc.bigInt(0n, 10n ** 12n);
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, price, price, (i, j, o, p, inputPerMtok, outputPerMtok) => {
        const prices = { inputPerMtok, outputPerMtok };
        return (
          priceOf(prices, Math.min(i, j), Math.min(o, p)) <= priceOf(prices, Math.max(i, j), Math.max(o, p))
        );
      }),
    );
  });

  it.each([-1, 1.5, NaN, Infinity, 2 ** 53])('refuses %p tokens', (tokens) => {
    expect(() => priceOf({ inputPerMtok: 1n, outputPerMtok: 1n }, tokens, 0)).toThrow(RangeError);
    expect(() => priceOf({ inputPerMtok: 1n, outputPerMtok: 1n }, 0, tokens)).toThrow(RangeError);
  });
});

describe('providerShare', () => {
  it('splits without losing a base unit', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, MAX_BASE_UNITS), fc.nat(10_000), (cost, bps) => {
        const share = providerShare(cost, bps);
        return share >= 0n && share <= cost;
      }),
    );
    expect(providerShare(999n, 9_000)).toBe(899n);
    expect(providerShare(MAX_BASE_UNITS, 10_000)).toBe(MAX_BASE_UNITS);
  });
});

describe('blendedPriceOf', () => {
  it('is three parts the input price, one part the output price', () => {
    expect(blendedPriceOf({ inputPerMtok: 20n, outputPerMtok: 7n })).toBe(67n);
  });
});

describe('amounts on the wire', () => {
  it.each([5, 5n, null, undefined, ['5']])('are strings, which %p is not', (value) => {
    expect([isBaseUnits(value), isUsdc(value)]).toEqual([false, false]);
  });

  it.each(['-1', '1.5', '1e3', 'NaN', '', ' 1', '01', '0x1', '9223372036854775808', '99999999999999999999'])(
    'refuses %p',
    (value) => {
      expect(isBaseUnits(value)).toBe(false);
      expect(() => parseBaseUnits(value)).toThrow(RangeError);
    },
  );

  it('are within BIGINT', () => {
    const near = fc.bigInt(MAX_BASE_UNITS - 1_000n, MAX_BASE_UNITS + 1_000n);
    const any = fc.bigInt(0n, 10n ** 19n);
    fc.assert(
      fc.property(fc.oneof(near, any), (amount) => isBaseUnits(String(amount)) === amount <= MAX_BASE_UNITS),
    );
    expect(isBaseUnits(String(MAX_BASE_UNITS))).toBe(true);
  });

  it('shows six decimals always', () => {
    expect(formatUsdc(0n)).toBe('0.000000');
    expect(formatUsdc(1n)).toBe('0.000001');
    expect(formatUsdc(1_500_000n)).toBe('1.500000');
    expect(formatUsdc(-1n)).toBe('-0.000001');
    expect(usdcOf('9223372036854775807')).toBe('9223372036854.775807');
    expect(usdcOf('-1500000')).toBe('-1.500000');
    expect(() => usdcOf('--1')).toThrow(RangeError);
  });
});

describe('amounts as the API shows them', () => {
  it('are read exactly, with fewer decimals and below 0 as well', () => {
    expect(parseSignedUsdc('1.5')).toBe(1_500_000n);
    expect(parseSignedUsdc('-0.000001')).toBe(-1n);
    expect(parseSignedUsdc('0.000000')).toBe(0n);
    expect(parseSignedUsdc('-9223372036854.775807')).toBe(-MAX_BASE_UNITS);
    const amounts = fc.bigInt(-MAX_BASE_UNITS, MAX_BASE_UNITS);
    fc.assert(fc.property(amounts, (amount) => parseSignedUsdc(formatUsdc(amount)) === amount));
  });

  it.each([
    ...['', '-', '--1', '+1', ' 1', '-1\n', '1.', '-.5', '01', '1e3', '1,5', '1.0000001', '1.5.0'],
    ...['9223372036854.775808', '-9223372036854.775808', '9'.repeat(400)],
  ])('are refused where they are none: %p', (value) => {
    expect(() => parseSignedUsdc(value)).toThrow(RangeError);
  });

  it.each([undefined, null, 1.5, -1, ['1.5'], {}])('are texts, which %p is not', (value) => {
    expect(() => parseSignedUsdc(value as string)).toThrow(RangeError);
  });
});

describe('amounts as people write them', () => {
  it('are read exactly', () => {
    expect(parseUsdc('5')).toBe(5_000_000n);
    expect(parseUsdc('0.000001')).toBe(1n);
    expect(parseUsdc('1.50')).toBe(1_500_000n);
    expect(parseUsdc('9223372036854.775807')).toBe(MAX_BASE_UNITS);
    fc.assert(
      fc.property(fc.bigInt(0n, MAX_BASE_UNITS), (amount) => parseUsdc(formatUsdc(amount)) === amount),
    );
  });

  it.each([
    ...['', ' 1', '-1', '+1', '1.', '.5', '01', '1e3', '1,5', '0x1', 'NaN', 'Infinity', '1.0000001', '１'],
    ...['9223372036854.775808', '99999999999999', '9'.repeat(400)],
  ])('refuses %p', (value) => {
    expect(isUsdc(value)).toBe(false);
    expect(() => parseUsdc(value)).toThrow(RangeError);
  });
});
