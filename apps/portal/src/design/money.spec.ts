import { readTypedUsdc, showUsdc, toBaseUnits } from './money';

describe('showUsdc', () => {
  it.each([
    ['0', '0.00'],
    ['1', '0.000001'],
    ['1234500000', '1,234.50'],
    ['1000000', '1.00'],
    ['-1500001', '\u22121.500001'],
    ['9223372036854775807', '9,223,372,036,854.775807'],
  ])('shows %s base units as %s, with nothing rounded', (base, shown) => {
    expect(showUsdc({ base })).toBe(shown);
  });

  it('shows what the API writes with its decimals', () => {
    expect(showUsdc({ usdc: '1.250000' })).toBe('1.25');
    expect(showUsdc({ usdc: '-0.000042' })).toBe('\u22120.000042');
    expect(showUsdc({ base: '70' }, 6)).toBe('0.000070');
  });
});

describe('toBaseUnits', () => {
  it('is exact both ways', () => {
    expect(toBaseUnits('1.250000')).toBe(1_250_000n);
    expect(toBaseUnits('-0.000001')).toBe(-1n);
  });
});

describe('readTypedUsdc', () => {
  it.each([
    ['25', 25_000_000n],
    [' 1,234.5 ', 1_234_500_000n],
    ['.5', 500_000n],
    ['7.', 7_000_000n],
  ])('reads %p', (text, base) => {
    expect(readTypedUsdc(text)).toBe(base);
  });

  it.each(['', '.', 'ten', '-1', '1,5', '1.2345678', '1e3', '0x10', '99999999999999'])(
    'refuses %p',
    (text) => {
      expect(readTypedUsdc(text)).toBeUndefined();
    },
  );
});
