import type { JsonObject, JsonValue } from '../engine/engine-request';
import { invalidRequest } from './openai-error';

/** Readers of single JSON fields. Each throws OpenAiError 400 that names the field's path, never its value. */

type Field = JsonValue | undefined;

/** Clients send null for what they leave out. */
export function isAbsent(value: Field): value is null | undefined {
  return value === undefined || value === null;
}

export function objectOf(value: Field, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalidRequest(`${path} must be an object.`, path);
}

export function textOf(value: Field, path: string): string {
  if (typeof value === 'string') return value;
  throw invalidRequest(`${path} must be a string.`, path);
}

/** One of the named values. */
export function memberOf<T extends string>(value: Field, path: string, members: readonly T[]): T {
  const member = members.find((candidate) => candidate === value);
  if (member !== undefined) return member;
  throw invalidRequest(`${path} must be one of: ${members.join(', ')}.`, path);
}

/** An array of `least` to `most` items; an absent one counts as empty. */
export function listOf(value: Field, path: string, least: number, most: number): JsonValue[] {
  const list = value ?? [];
  if (Array.isArray(list) && list.length >= least && list.length <= most) return list;
  throw invalidRequest(`${path} must be an array of ${least} to ${most} items.`, path);
}

/** A boolean, or undefined where the field is absent or null. */
export function booleanOf(value: Field, path: string): boolean | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'boolean') return value;
  throw invalidRequest(`${path} must be true or false.`, path);
}

/** A number from `low` to `high`, or undefined where the field is absent or null. */
export function numberOf(value: Field, path: string, low: number, high: number): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && value >= low && value <= high) return value;
  throw invalidRequest(`${path} must be a number from ${low} to ${high}.`, path);
}
