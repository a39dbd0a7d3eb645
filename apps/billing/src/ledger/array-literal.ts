const SPECIAL = /["\\]/g;

/**
 * A list in the form in which PostgreSQL reads one (manual, "Array Input and Output Syntax"). pg makes the same of a list, with two
 * searches for each element that stands for itself; a batch has hundreds of these.
 */
export function arrayLiteral(elements: readonly (string | number | null)[]): string {
  let literal = '{';
  for (let index = 0; index < elements.length; index++) {
    if (index > 0) literal += ',';
    literal += elementOf(elements[index] ?? null);
  }
  return `${literal}}`;
}

function elementOf(element: string | number | null): string {
  if (element === null) return 'NULL';
  if (typeof element === 'number') return String(element);
  const isSpecial = element.includes('"') || element.includes('\\');
  return `"${isSpecial ? element.replace(SPECIAL, '\\$&') : element}"`;
}
