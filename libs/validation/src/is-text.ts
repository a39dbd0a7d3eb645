/**
 * Whether it is a text of `least` to `most` characters. They are counted as JSON Schema counts, which the description of the API is written
 * in: code points. class-validator counts one less for each that changes how the one before it looks (U+FE0E, U+FE0F).
 */
export function isText(value: unknown, least: number, most = Infinity): value is string {
  if (typeof value !== 'string') return false;
  const { length } = value;
  // A character takes one or two units: most texts need no counting.
  if (length < least || length > 2 * most) return false;
  if (length >= 2 * least && length <= most) return true;
  const count = charactersIn(value);
  return count >= least && count <= most;
}

function charactersIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}
