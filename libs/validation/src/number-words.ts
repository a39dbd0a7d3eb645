import { boundOf } from './rule';
import type { Rule } from './rule';

/** The rules of class-validator that a number is made of. */
export const NUMBER_RULES = ['isInt', 'isNumber', 'min', 'max'];

/** What a property's rules ask of a number, in one: "must be a whole number from 1 to 100". */
export function numberWords(rules: Rule[]): string {
  const [least, most] = [boundOf(rules, 'min'), boundOf(rules, 'max')];
  const isWhole = rules.some(({ name }) => name === 'isInt');
  return isWhole ? wholeNumberWords(least, most) : `must be a number${rangeWords(least, most)}`;
}

/** Also for whole numbers that are no numbers yet, but texts. */
export function wholeNumberWords(least?: number, most?: number): string {
  return `must be a whole number${rangeWords(least, most)}`;
}

function rangeWords(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}
