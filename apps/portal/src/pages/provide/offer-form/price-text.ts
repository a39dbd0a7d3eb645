import { formatUsdc, parseBaseUnits } from '@svc/money';

/** A price as it stands in a field: `100000` base units are `0.1`. */
export function baseToUsdc(base: string): string {
  return formatUsdc(parseBaseUnits(base)).replace(/0+$/, '').replace(/\.$/, '');
}
