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
  const [least, most] = [boundOf(rules, 'min'), boundOf(rules, 'max')];
  return isWhole ? wholeNumberWords(least, most) : `must be a number${rangeWords(least, most)}`;
}

/** Also for whole numbers that are no numbers yet, but texts. */
export function wholeNumberWords(least?: number, most?: number): string {
  return `must be a whole number${rangeWords(least, most)}`;
}

function boundOf(rules: Rule[], name: 'min' | 'max'): number | undefined {
  return rules.find((rule) => rule.name === name)?.constraints?.[0] as number | undefined;
}

function rangeWords(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}
