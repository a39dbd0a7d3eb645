/** Keywords whose value is a schema, a list of schemas, or a map of schemas (drafts 6 to 2020-12). */
const SCHEMA_KEYWORDS = [
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
];
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAP_KEYWORDS = [
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
];
const REFERENCE_KEYWORDS = ['$ref', '$dynamicRef', '$recursiveRef'];
const ANCHOR_KEYWORDS = ['$anchor', '$dynamicAnchor'];

/** JSON has seven types (integer included); more entries can only be repeats. */
const MOST_TYPES = 7;

type Schema = Record<string, unknown>;

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    // Many generators escape more than the "u" flag allows.
    try {
      new RegExp(pattern);
      return true;
    } catch {
      return false;
    }
  }
}

function childrenOf(schema: Schema): unknown[] {
  const children: unknown[] = [];
  for (const keyword of SCHEMA_KEYWORDS) if (isObject(schema[keyword])) children.push(schema[keyword]);
  for (const keyword of LIST_KEYWORDS) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const child of list as unknown[]) children.push(child);
  }
  for (const keyword of MAP_KEYWORDS) {
    const map = schema[keyword];
    if (isObject(map)) for (const child of Object.values(map)) children.push(child);
  }
  return children;
}

function problemOfPatterns(schema: Schema): string | undefined {
  const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  if (typeof schema.pattern === 'string') patterns.push(schema.pattern);
  const broken = patterns.find((pattern) => !compiles(pattern));
  return broken === undefined ? undefined : 'holds a pattern that is no regular expression';
}

/** Follows an RFC 6901 pointer, as a URI fragment without its "#". */
function pointsToSchema(root: Schema, pointer: string): boolean {
  let tokens: string[];
  try {
    tokens = decodeURIComponent(pointer).split('/').slice(1);
  } catch {
    return false;
  }
  let target: unknown = root;
  for (const token of tokens) {
    if (typeof target !== 'object' || target === null) return false;
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!Object.hasOwn(target, key)) return false;
    target = (target as Schema)[key];
  }
  return isObject(target) || typeof target === 'boolean';
}

/**
 * What a meta-schema cannot see: patterns that are no regular expressions, references that lead nowhere, and references
 * out of the schema, which nobody here will ever fetch. Iterative.
 * @param root an object; nested as deep as the caller lets it
 * @returns what is wrong, or undefined
 */
export function problemOfSchemaTree(root: Schema): string | undefined {
  const references = new Set<string>();
  const anchors = new Set<string>();
  let level: unknown[] = [root];
  while (level.length > 0) {
    const next: unknown[] = [];
    for (const schema of level) {
      if (!isObject(schema)) continue;
      for (const keyword of REFERENCE_KEYWORDS) {
        const reference = schema[keyword];
        if (typeof reference === 'string') references.add(reference);
      }
      for (const keyword of ANCHOR_KEYWORDS) {
        const anchor = schema[keyword];
        if (typeof anchor === 'string') anchors.add(anchor);
      }
      if (typeof schema.$id === 'string' && schema.$id.startsWith('#')) anchors.add(schema.$id.slice(1));
      if (Array.isArray(schema.type) && schema.type.length > MOST_TYPES) return 'names a type twice';
      const problem = problemOfPatterns(schema);
      if (problem) return problem;
      for (const child of childrenOf(schema)) next.push(child);
    }
    level = next;
  }
  for (const reference of references) {
    if (!reference.startsWith('#')) return 'holds a $ref that leads out of the schema';
    const fragment = reference.slice(1);
    const leads =
      fragment === '' || fragment.startsWith('/') ? pointsToSchema(root, fragment) : anchors.has(fragment);
    if (!leads) return 'holds a $ref that leads nowhere';
  }
  return undefined;
}
