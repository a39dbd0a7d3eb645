/** As much of class-validator's metadata as is looked at. */
interface Rule {
  name?: string;
  constraints?: unknown[];
}

/** The rules of class-validator that a number is made of. */
export const NUMBER_RULES: ReadonlySet<string> = new Set(['isInt', 'isNumber', 'min', 'max']);

/**
 * What a property's rules ask of a number, in one: "must be a whole number from 1 to 100".
 * @returns undefined when they ask for no number
 */
export function numberWords(rules: Rule[]): string | undefined {
  const isWhole = rules.some(({ name }) => name === 'isInt');
  if (!isWhole && !rules.some(({ name }) => name === 'isNumber')) return undefined;
  return `must be a ${isWhole ? 'whole number' : 'number'}${rangeWords(boundOf(rules, 'min'), boundOf(rules, 'max'))}`;
}

function boundOf(rules: Rule[], name: 'min' | 'max'): number | undefined {
  return rules.find((rule) => rule.name === name)?.constraints?.[0] as number | undefined;
}

function rangeWords(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}
