import { formatUsdc, parseBaseUnits } from '@svc/money';

/** Base units (10^-6 USDC), as the API gives them, or an amount of USDC with its decimals. */
export type UsdcAmount = { base: string | bigint } | { usdc: string };

/**
 * An amount for people: thousands parted, at least two decimals, as many as there are up to six. `1234500000` base units
 * are `1,234.50`; `1` is `0.000001`. Only text is handled, so nothing is ever rounded.
 */
export function showUsdc(amount: UsdcAmount): string {
  const exact = 'usdc' in amount ? amount.usdc : formatUsdc(toBase(amount.base));
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(exact) ?? [];
  const decimals = fraction.replace(/0+$/, '').padEnd(2, '0');
  const shown = `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`;
  // A minus sign that screen readers say, and that is as wide as a digit.
  return sign === '' ? shown : `\u2212${shown}`;
}

/**
 * Reads what somebody typed as USDC.
 * @returns base units; undefined when it is no amount with at most six decimals
 */
export function parseUsdc(text: string): bigint | undefined {
  const match = /^(\d{1,12})?(?:\.(\d{0,6}))?$/.exec(text.trim().replace(/[,_ ]/g, ''));
  if (match === null || match[0] === '' || match[0] === '.') return undefined;
  return BigInt(match[1] ?? '0') * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0'));
}

function toBase(base: string | bigint): bigint {
  if (typeof base === 'bigint') return base;
  return base.startsWith('-') ? -parseBaseUnits(base.slice(1)) : parseBaseUnits(base);
}
