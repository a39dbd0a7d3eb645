import { formatUsdc, isUsdc, parseSignedUsdc, parseUsdc } from '@svc/money';

/** Base units (10^-6 USDC), as the API gives them, or an amount of USDC with its decimals. */
export type UsdcAmount = { base: string | bigint } | { usdc: string };

/**
 * An amount for people: thousands parted, at least two decimals (or more, where amounts stand one below the other), as many as there are
 * up to six. `1234500000` base units are `1,234.50`; `1` is `0.000001`. Only text is handled, so nothing is ever rounded.
 */
export function showUsdc(amount: UsdcAmount, leastDecimals: 2 | 6 = 2): string {
  const exact = 'usdc' in amount ? amount.usdc : formatUsdc(BigInt(amount.base));
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(exact) ?? [];
  const decimals = fraction.replace(/0+$/, '').padEnd(leastDecimals, '0');
  const shown = `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`;
  // A minus sign that screen readers say, and that is as wide as a digit.
  return sign === '' ? shown : `\u2212${shown}`;
}

/** Base units of an amount as the API shows it, which may be negative. */
export const toBaseUnits = parseSignedUsdc;

/**
 * Reads what somebody typed as USDC, with or without commas between thousands.
 * @returns base units; undefined when it is no amount with at most six decimals
 */
export function readTypedUsdc(text: string): bigint | undefined {
  const plain = text
    .trim()
    .replace(/^\.(?=\d)/, '0.')
    .replace(/(?<=\d)\.$/, '');
  const bare = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(',', '') : plain;
  return isUsdc(bare) ? parseUsdc(bare) : undefined;
}
