import type { FuncKeywordDefinition } from 'ajv';

/** What part of itself a quotient of two rounded numbers, itself rounded, is off by at most. */
const MOST_OFF = 2 * Number.EPSILON;

/**
 * `multipleOf` as decimals have it. To Ajv 19.99 is no multiple of 0.01: neither is the number that is written, nor is their quotient 1999, and
 * so it goes with every seventh price in cents.
 */
export const MULTIPLE_OF: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (divisor: number) => (value: number) => isMultipleOf(value, divisor),
};

function isMultipleOf(value: number, divisor: number): boolean {
  // Exact; by a whole number nothing else is needed.
  if (value % divisor === 0) return true;
  if (Number.isInteger(divisor)) return false;
  const quotient = value / divisor;
  return Math.abs(Math.round(quotient) - quotient) <= MOST_OFF * Math.abs(quotient);
}
