import { isJsonObject, nestedMetadataOf } from '@svc/validation';
import { getMetadataStorage } from 'class-validator';

type Class = new () => object;

/** The path of the first key that the class, or one nested in it, does not declare; undefined when all are known. */
export function unknownKey(Class: Class, given: unknown): string | undefined {
  if (!isJsonObject(given)) return undefined;
  const known = new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(Class, '', false, false)
      .map(({ propertyName }) => propertyName),
  );
  for (const [key, value] of Object.entries(given)) {
    if (!known.has(key)) return key;
    const nested = nestedMetadataOf(Class, key);
    if (nested === undefined) continue;
    const below = nested.each && Array.isArray(value) ? unknownInList(nested.type(), value) : undefined;
    const found = below ?? prefixed('.', unknownKey(nested.type(), value));
    if (found !== undefined) return `${key}${found}`;
  }
  return undefined;
}

function unknownInList(Class: Class, values: readonly unknown[]): string | undefined {
  for (const [index, value] of values.entries()) {
    const found = unknownKey(Class, value);
    if (found !== undefined) return `[${index}].${found}`;
  }
  return undefined;
}

function prefixed(prefix: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : prefix + path;
}
