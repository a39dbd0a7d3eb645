import { isJsonObject } from '@svc/validation';
import type { JsonObject } from './engine-request';

/** A number keyword of a schema, or undefined where it is absent or no finite number. */
export function numberAt(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The type a schema asks for: the first that is not null, or what its keywords speak of. */
export function typeOf(schema: JsonObject): string {
  const { type } = schema;
  if (Array.isArray(type))
    return type.filter((name) => typeof name === 'string').find((name) => name !== 'null') ?? 'null';
  if (type !== undefined) return typeof type === 'string' ? type : 'unknown';
  if ('properties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number';
  return 'string';
}

/** The schema without those keywords. */
export function without(schema: JsonObject, ...keywords: string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

/** Two schemas that must both hold, as one: the tighter of two bounds, the properties of both. */
export function merged(left: JsonObject, right: JsonObject): JsonObject {
  const both: JsonObject = { ...left, ...right };
  for (const key of Object.keys(right)) {
    const [one, other] = [left[key], right[key]];
    if (key === 'properties' && isJsonObject(one) && isJsonObject(other)) both[key] = { ...one, ...other };
    else if (key === 'required' && Array.isArray(one) && Array.isArray(other)) both[key] = [...one, ...other];
    else if (typeof one === 'number' && typeof other === 'number') {
      both[key] = /^(?:min|exclusiveMin)/.test(key) ? Math.max(one, other) : Math.min(one, other);
    }
  }
  return both;
}
