import { boundOf } from './rule';
import type { Rule } from './rule';

/** The rules of class-validator that a text is made of. */
export const TEXT_RULES = ['isString', 'isLength', 'minLength', 'maxLength'];
/** The rules of class-validator that a list is made of. */
export const LIST_RULES = ['isArray', 'arrayMinSize', 'arrayMaxSize'];

/** "must be a string of 1 to 64 characters" */
export function textWords(rules: Rule[]): string {
  const least = boundOf(rules, 'isLength') ?? boundOf(rules, 'minLength');
  const most = boundOf(rules, 'isLength', 1) ?? boundOf(rules, 'maxLength');
  return `must be a string${sizeWords(least, most, 'character')}`;
}

/** "must be an array of at most 128 items" */
export function listWords(rules: Rule[]): string {
  const [least, most] = [boundOf(rules, 'arrayMinSize'), boundOf(rules, 'arrayMaxSize')];
  return `must be an array${sizeWords(least, most, 'item')}`;
}

function sizeWords(least: number | undefined, most: number | undefined, unit: string): string {
  const units = (most ?? least) === 1 ? unit : `${unit}s`;
  if (most === undefined) return least === undefined ? '' : ` of at least ${least} ${units}`;
  if (least === undefined) return ` of at most ${most} ${units}`;
  return least === most ? ` of ${most} ${units}` : ` of ${least} to ${most} ${units}`;
}
