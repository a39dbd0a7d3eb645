/**
 * Whether it is a text of so many characters. They are counted as JSON Schema counts, which the description of the API is written in: code
 * points. class-validator's `length` passes over those that change how another looks, and so bounds nothing.
 */
export function isText(value: unknown, least: number, most: number): value is string {
  // Of a text that is too long in any case, no list is made.
  if (typeof value !== 'string' || value.length > 2 * most) return false;
  const count = value.length <= most ? value.length : [...value].length;
  return count >= least && count <= most;
}
