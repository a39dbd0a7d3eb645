/**
 * Where a text holds half of a surrogate pair, as JSON can write it (`"\ud83d"`, an emoji that was cut in two). No UTF-8 can: engines
 * fail on it, and it is not their fault.
 * @param value what `JSON.parse` returns, of bounded depth
 * @returns the path of the text, of the object for one of its keys
 */
export function halfCharacterIn(value: unknown): string | undefined {
  // Paths are made where there is something to tell only: that costs several times as much as looking.
  return isWhole(value) ? undefined : pathOfHalf(value, '');
}

function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWhole);
  return Object.keys(value).every(
    (key) => key.isWellFormed() && isWhole((value as Record<string, unknown>)[key]),
  );
}

function pathOfHalf(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    if (!isList && !key.isWellFormed()) return path;
    const below = isList ? `[${key}]` : path && `.${key}`;
    const found = pathOfHalf(item, `${path}${below || key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
