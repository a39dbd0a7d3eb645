/** The largest amount the ledger takes: PostgreSQL's BIGINT. */
export const MAX_BASE_UNITS = 9_223_372_036_854_775_807n;

const MAX_DIGITS = String(MAX_BASE_UNITS);
const BASE_UNITS_PATTERN = /^(0|[1-9][0-9]{0,18})$/;

/** Whether `value` is a non-negative whole number of base units in plain decimal digits, within BIGINT. */
export function isBaseUnits(value: unknown): value is string {
  if (typeof value !== 'string' || !BASE_UNITS_PATTERN.test(value)) return false;
  // Of as many digits, the order of numbers is that of their texts.
  return value.length < MAX_DIGITS.length || value <= MAX_DIGITS;
}

/**
 * Reads an amount off the wire.
 * @param value base units as a decimal string, e.g. "1500000" for 1.5 USDC
 * @throws RangeError for signs, fractions, exponents, leading zeros, or more than BIGINT holds
 */
export function parseBaseUnits(value: string): bigint {
  if (!isBaseUnits(value)) throw new RangeError('not an amount in base units');
  return BigInt(value);
}

/** An amount as the API shows it: USDC with always six decimals, e.g. 1500000n → "1.500000". */
export function formatUsdc(baseUnits: bigint): string {
  const sign = baseUnits < 0n ? '-' : '';
  const digits = (baseUnits < 0n ? -baseUnits : baseUnits).toString().padStart(7, '0');
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/**
 * {@link formatUsdc} of an amount as services tell it.
 * @param baseUnits a decimal string, with a minus sign for what may be negative
 * @throws RangeError as `parseBaseUnits`
 */
export function usdcOf(baseUnits: string): string {
  if (!baseUnits.startsWith('-')) return formatUsdc(parseBaseUnits(baseUnits));
  return formatUsdc(-parseBaseUnits(baseUnits.slice(1)));
}

const USDC_PATTERN = /^(0|[1-9][0-9]{0,12})(?:\.([0-9]{1,6}))?$/;

/** Whether `value` is an amount as people write it: USDC in plain decimals, at most six of them, within BIGINT. */
export function isUsdc(value: unknown): value is string {
  return typeof value === 'string' && USDC_PATTERN.test(value) && toBaseUnits(value) <= MAX_BASE_UNITS;
}

/**
 * Reads an amount in USDC, e.g. "1.5" → 1500000n.
 * @throws RangeError for signs, exponents, leading zeros, more than six decimals, or more than BIGINT holds
 */
export function parseUsdc(value: string): bigint {
  if (!isUsdc(value)) throw new RangeError('not an amount in USDC');
  return toBaseUnits(value);
}

/**
 * {@link parseUsdc} of what may be negative, as the API shows it, e.g. "-0.000001" → -1n.
 * @throws RangeError as `parseUsdc`
 */
export function parseSignedUsdc(value: string): bigint {
  // The type is a promise where the value is another program's.
  const isNegative = typeof value === 'string' && value.startsWith('-');
  return isNegative ? -parseUsdc(value.slice(1)) : parseUsdc(value);
}

function toBaseUnits(usdc: string): bigint {
  const [whole = '', decimals = ''] = usdc.split('.');
  return BigInt(whole + decimals.padEnd(6, '0'));
}
