import { isJsonObject } from './json-object';

export type JsonSchema = Record<string, unknown>;

/** By what they hold: a schema, a list of schemas, or a map of schemas. */
export interface Keywords {
  single: ReadonlySet<string>;
  lists: ReadonlySet<string>;
  maps: ReadonlySet<string>;
}

/** Of drafts 6 to 2020-12. */
export const ALL_KEYWORDS: Keywords = {
  single: new Set([
    'additionalItems',
    'additionalProperties',
    'contains',
    'contentSchema',
    'else',
    'if',
    'items',
    'not',
    'propertyNames',
    'then',
    'unevaluatedItems',
    'unevaluatedProperties',
  ]),
  lists: new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']),
  maps: new Set([
    '$defs',
    'definitions',
    'dependencies',
    'dependentSchemas',
    'patternProperties',
    'properties',
  ]),
};
/** Without what asks nothing of a value by itself. */
export const ASKING_KEYWORDS: Keywords = {
  single: without(ALL_KEYWORDS.single, 'contentSchema'),
  lists: ALL_KEYWORDS.lists,
  maps: without(ALL_KEYWORDS.maps, '$defs', 'definitions'),
};
/** Whose schemas are held against the same value, not against a part of it. */
export const SAME_VALUE_KEYWORDS: Keywords = {
  single: new Set(['else', 'if', 'not', 'then']),
  lists: new Set(['allOf', 'anyOf', 'oneOf']),
  maps: new Set(['dependencies', 'dependentSchemas']),
};

function without(keywords: ReadonlySet<string>, ...others: string[]): ReadonlySet<string> {
  return new Set([...keywords].filter((keyword) => !others.includes(keyword)));
}

/**
 * The schemas, true and false included, that a schema's keywords hold. Asks what the schema has and not what it may have: most have few of the
 * keywords.
 */
export function childrenOf(schema: JsonSchema, { single, lists, maps }: Keywords): unknown[] {
  const children: unknown[] = [];
  for (const keyword of Object.keys(schema)) {
    const [isSingle, isList, isMap] = [single.has(keyword), lists.has(keyword), maps.has(keyword)];
    if (!isSingle && !isList && !isMap) continue;
    const held = schema[keyword];
    if (Array.isArray(held)) {
      if (isList) for (const child of held as unknown[]) children.push(child);
    } else if (isSingle) children.push(held);
    else if (isMap && isJsonObject(held)) {
      // `Object.values` takes twice as long where there are thousands.
      for (const key of Object.keys(held)) children.push(held[key]);
    }
  }
  return children;
}

/**
 * How many schemas a JSON Schema holds, itself included; those not that references alone lead to. Iterative, so that no depth is too much.
 * @returns Infinity as soon as there are more than `most`
 */
export function schemasIn(root: JsonSchema, most: number): number {
  let count = 1;
  const met = [root];
  for (let schema = met.pop(); schema; schema = met.pop()) {
    const children = childrenOf(schema, ALL_KEYWORDS);
    count += children.length;
    if (count > most) return Infinity;
    for (const child of children) if (isJsonObject(child)) met.push(child);
  }
  return count;
}
