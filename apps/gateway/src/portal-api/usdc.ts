import { formatUsdc, parseBaseUnits } from '@svc/money';

const SIGNED = /^-/;

/** Base units as the services tell them, perhaps negative, as USDC with six decimals. */
export function usdc(baseUnits: string): string {
  if (!SIGNED.test(baseUnits)) return formatUsdc(parseBaseUnits(baseUnits));
  return formatUsdc(-parseBaseUnits(baseUnits.slice(1)));
}

/** How a field with an amount is described. */
export const USDC = { type: String, example: '1.250000', description: 'USDC, six decimals.' } as const;
