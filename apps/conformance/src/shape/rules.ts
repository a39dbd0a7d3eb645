import { Deviation } from '../deviation';
import { isObject } from '../exchange/json-object';

/** Says what is wrong with a value; nothing when it is as it should be. */
export type Rule = (value: unknown, path: string) => string[];

type Fields = Record<string, Rule>;

const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value);
  return json.length > 80 ? `${json.slice(0, 80)}…` : json;
};

const rule =
  (fits: (value: unknown) => boolean, expected: string): Rule =>
  (value, path) =>
    fits(value) ? [] : [`${path || 'the body'}: expected ${expected}, got ${shown(value)}`];

export const text = rule((value) => typeof value === 'string' && value !== '', 'a text');
export const anyText = rule((value) => typeof value === 'string', 'a string');
export const flag = rule((value) => typeof value === 'boolean', 'a boolean');
export const absent = rule((value) => value === undefined, 'no such field');
export const nothing = rule((value) => value === null, 'null');

export function textLike(pattern: RegExp, expected: string): Rule {
  return rule((value) => typeof value === 'string' && pattern.test(value), expected);
}

export function integer(atLeast = 0): Rule {
  return rule(
    (value) => Number.isSafeInteger(value) && (value as number) >= atLeast,
    `a whole number of at least ${atLeast}`,
  );
}

export function equal(wanted: string | number | boolean | null): Rule {
  return rule((value) => value === wanted, shown(wanted));
}

export function oneOf(...words: string[]): Rule {
  return rule((value) => words.includes(value as string), `one of ${words.join(', ')}`);
}

export function either(one: Rule, other: Rule): Rule {
  return (value, path) => {
    const problems = one(value, path);
    return problems.length > 0 && other(value, path).length > 0 ? problems : [];
  };
}

/** The field may be missing; where it is there, it is so. */
export function optional(inner: Rule): Rule {
  return (value, path) => (value === undefined ? [] : inner(value, path));
}

export function listOf(item: Rule, atLeast = 0): Rule {
  return (value, path) => {
    if (!Array.isArray(value)) return [`${path}: expected an array, got ${shown(value)}`];
    if (value.length < atLeast) return [`${path}: expected at least ${atLeast} items, got ${value.length}`];
    return value.flatMap((each, index) => item(each, `${path}[${index}]`));
  };
}

/** An object with these fields; others may be there beside them. */
export function object(fields: Fields): Rule {
  return (value, path) => {
    if (!isObject(value)) return [`${path || 'the body'}: expected an object, got ${shown(value)}`];
    return Object.entries(fields).flatMap(([name, inner]) => inner(value[name], join(path, name)));
  };
}

/** An object with these fields and no others. */
export function exactly(fields: Fields): Rule {
  return (value, path) => [
    ...object(fields)(value, path),
    ...Object.keys(isObject(value) ? value : {})
      .filter((name) => !(name in fields))
      .map((name) => `${join(path, name)}: there is no such field`),
  ];
}

/** A string that holds a JSON object document. */
export const jsonObject: Rule = rule((value) => {
  try {
    return typeof value === 'string' && isObject(JSON.parse(value));
  } catch {
    return false;
  }
}, 'a JSON object document');

/** @throws Deviation with everything that is wrong */
export function must(value: unknown, inner: Rule, path = ''): void {
  const problems = inner(value, path);
  if (problems.length > 0) throw new Deviation(problems.slice(0, 5).join('; '));
}

/** @throws Deviation unless it holds */
export function ensure(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Deviation(otherwise);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
