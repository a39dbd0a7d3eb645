import { isJsonObject } from './json-object';
import { ALL_KEYWORDS, ASKING_KEYWORDS, SAME_VALUE_KEYWORDS, childrenOf } from './json-schema-keywords';
import type { JsonSchema, Keywords } from './json-schema-keywords';

const REFERENCE_KEYWORDS = ['$ref', '$dynamicRef', '$recursiveRef'];
const ANCHOR_KEYWORDS = ['$anchor', '$dynamicAnchor'];

/** JSON has seven types (integer included); more entries can only be repeats. */
const MOST_TYPES = 7;

/**
 * How many schemas one may hold, itself included. Each costs microseconds to check, and tens of them to compile. The 5,000 properties that OpenAI
 * takes have hardly room in what a schema's text may be.
 */
const MOST_SCHEMAS = 8_192;

/** `\p{…}` in a pattern: for each the engine goes through all of Unicode as soon as it reads the pattern, and nothing stops it. */
const PROPERTY_ESCAPE = /\\p/gi;
const MOST_PROPERTY_ESCAPES = 64;
/**
 * How long a pattern may be, and all of them together, in characters. What the engine does before a pattern is run grows with the square of
 * its length, and nothing stops it: a class of 60,000 characters takes seconds to be read, 100 kB of counted repeats the better part of a
 * minute to be run for the first time.
 */
const MOST_PATTERN_CHARS = 2_048;
const MOST_PATTERN_CHARS_TOGETHER = 16 * 1024;

/**
 * A schema's pattern. Many generators escape more than the "u" flag allows.
 * @throws SyntaxError
 */
export function schemaPattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

/**
 * The schemas of a client's JSON Schema and where its references lead: to what their keywords hold, and into any other
 * part of it. Linear in the schema's size and iterative, so that nothing hostile costs more than its length.
 */
export class JsonSchemaTree {
  /** Schemas other than the root that are used at more places than one, or by reference. */
  readonly shared = new Set<JsonSchema>();
  /** All schemas, each with the one that its references begin at: the root, or the next with an `$id` above. */
  private readonly bases = new Map<JsonSchema, JsonSchema>();
  /** By name; nothing where two schemas have it. */
  private readonly anchors = new Map<string, JsonSchema | undefined>();
  /** What references lead to, of the schemas that have some. */
  private readonly targets = new Map<JsonSchema, readonly unknown[]>();
  private readonly refers: boolean = false;
  /** What it holds is not known then. */
  private readonly isTooLarge: boolean = false;

  /** @param root what `JSON.parse` returned */
  constructor(readonly root: JsonSchema) {
    this.bases.set(root, root);
    let count = 1;
    // Grows while it is walked.
    for (const [schema, base] of this.bases) {
      const children = childrenOf(schema, ALL_KEYWORDS);
      count += children.length;
      if (count > MOST_SCHEMAS) {
        this.isTooLarge = true;
        return;
      }
      for (const child of children) this.meet(child, base);
      for (const name of anchorsOf(schema)) {
        this.anchors.set(name, this.anchors.has(name) ? undefined : schema);
      }
      for (const target of this.follow(schema)) this.meet(target, base);
    }
    for (const schema of this.targets.keys()) {
      // The anchor that a reference names may come after it.
      const targets = referencesOf(schema).some(isAnchor) ? this.follow(schema) : this.targetsOf(schema);
      for (const target of targets) if (isJsonObject(target)) this.shared.add(target);
    }
    this.refers = this.shared.size > 0;
    this.shared.delete(root);
  }

  /** What a schema's references lead to: schemas, true or false. */
  targetsOf(schema: JsonSchema): readonly unknown[] {
    return this.targets.get(schema) ?? [];
  }

  /**
   * What a meta-schema cannot see: patterns that are no regular expressions or take long to read, references that lead nowhere or in a
   * circle, and references out of the schema, which nobody here will ever fetch.
   */
  get problem(): string | undefined {
    if (this.isTooLarge) return `holds more than ${MOST_SCHEMAS} schemas`;
    const schemas = [...this.bases.keys()];
    if (schemas.some(({ type }) => Array.isArray(type) && type.length > MOST_TYPES))
      return 'names a type twice';
    const patterns = [...new Set(schemas.flatMap(patternsOf))];
    if (patterns.some(({ length }) => length > MOST_PATTERN_CHARS))
      return `holds a pattern of more than ${MOST_PATTERN_CHARS} characters`;
    if (patterns.reduce((chars, { length }) => chars + length, 0) > MOST_PATTERN_CHARS_TOGETHER)
      return `holds patterns of more than ${MOST_PATTERN_CHARS_TOGETHER} characters together`;
    if (countOf(patterns, PROPERTY_ESCAPE) > MOST_PROPERTY_ESCAPES)
      return `holds more than ${MOST_PROPERTY_ESCAPES} property escapes (\\p{…}) in its patterns`;
    if (!patterns.every(compiles)) return 'holds a pattern that is no regular expression';
    for (const [schema, targets] of this.targets) {
      const references = referencesOf(schema);
      if (targets.length === references.length) continue;
      for (const reference of references) {
        if (!reference.startsWith('#')) return 'holds a $ref that leads out of the schema';
        if (this.targetOf(schema, reference) !== undefined) continue;
        const isTwice = this.anchors.has(reference.slice(1));
        return isTwice ? 'holds a $ref to an anchor that is there twice' : 'holds a $ref that leads nowhere';
      }
    }
    return this.isEndless() ? 'holds a $ref that leads back to itself' : undefined;
  }

  /**
   * Whether an object may fit, by the types that are named: by the root, by what it refers to, and by what a value is to fit besides (`allOf`).
   */
  get takesObjects(): boolean {
    const asked = new Set([this.root]);
    for (const schema of asked) {
      const { type = 'object', allOf } = schema;
      if (![type].flat().includes('object')) return false;
      for (const next of [this.targetsOf(schema), allOf].flat()) if (isJsonObject(next)) asked.add(next);
    }
    return true;
  }

  /** Whether a value would be held against a schema, and for that against the same schema, for ever. */
  private isEndless(): boolean {
    if (!this.refers) return false;
    const asked = new Set([this.root]);
    for (const schema of asked) {
      for (const next of this.ledTo(schema, ASKING_KEYWORDS)) asked.add(next);
    }
    const ways = new Map<JsonSchema, number>();
    const sameValue = (schema: JsonSchema) => this.ledTo(schema, SAME_VALUE_KEYWORDS);
    for (const schema of asked) {
      for (const next of sameValue(schema)) ways.set(next, (ways.get(next) ?? 0) + 1);
    }
    // Kahn: what no way leads to is taken away, with the ways that begin there. Circles are left.
    const taken = [...asked].filter((schema) => !ways.has(schema));
    for (const schema of taken) {
      for (const next of sameValue(schema)) {
        const left = (ways.get(next) ?? 0) - 1;
        ways.set(next, left);
        if (left === 0) taken.push(next);
      }
    }
    return taken.length < asked.size;
  }

  private ledTo(schema: JsonSchema, keywords: Keywords): JsonSchema[] {
    return [...childrenOf(schema, keywords), ...this.targetsOf(schema)].filter(isJsonObject);
  }

  private meet(schema: unknown, base: JsonSchema): void {
    if (!isJsonObject(schema)) return;
    const startsAnew = typeof schema.$id === 'string' && !schema.$id.startsWith('#');
    if (this.bases.has(schema)) this.shared.add(schema);
    else this.bases.set(schema, startsAnew ? schema : base);
  }

  private follow(schema: JsonSchema): readonly unknown[] {
    const references = referencesOf(schema);
    if (references.length === 0) return references;
    const targets = references
      .map((reference) => this.targetOf(schema, reference))
      .filter((target) => target !== undefined);
    this.targets.set(schema, targets);
    return targets;
  }

  private targetOf(schema: JsonSchema, reference: string): unknown {
    if (!reference.startsWith('#')) return undefined;
    const fragment = reference.slice(1);
    if (isAnchor(reference)) return this.anchors.get(fragment);
    // Where an `$id` begins a schema of its own, many tools still mean the whole.
    return followed(this.bases.get(schema), fragment) ?? followed(this.root, fragment);
  }
}

function referencesOf(schema: JsonSchema): string[] {
  return textsOf(schema, REFERENCE_KEYWORDS);
}

/** Whether a reference names an anchor, and is no pointer. */
function isAnchor(reference: string): boolean {
  return reference.length > 1 && reference.startsWith('#') && !reference.startsWith('#/');
}

function anchorsOf(schema: JsonSchema): Iterable<string> {
  const anchors = textsOf(schema, ANCHOR_KEYWORDS);
  if (typeof schema.$id === 'string' && schema.$id.startsWith('#')) anchors.push(schema.$id.slice(1));
  return anchors.length > 1 ? new Set(anchors) : anchors;
}

function textsOf(schema: JsonSchema, keywords: string[]): string[] {
  const texts: string[] = [];
  for (const keyword of keywords) {
    const text = schema[keyword];
    if (typeof text === 'string') texts.push(text);
  }
  return texts;
}

function patternsOf(schema: JsonSchema): string[] {
  const patterns = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  if (typeof schema.pattern === 'string') patterns.push(schema.pattern);
  return patterns;
}

function countOf(texts: readonly string[], word: RegExp): number {
  return texts.reduce((count, text) => count + (text.match(word)?.length ?? 0), 0);
}

function compiles(pattern: string): boolean {
  try {
    schemaPattern(pattern);
    return true;
  } catch {
    return false;
  }
}

/**
 * Follows an RFC 6901 pointer, as a URI fragment without its "#".
 * @returns a schema, or undefined when none is there
 */
function followed(from: unknown, pointer: string): unknown {
  let tokens: string[];
  try {
    tokens = (pointer.includes('%') ? decodeURIComponent(pointer) : pointer).split('/').slice(1);
  } catch {
    return undefined;
  }
  let target = from;
  for (const token of tokens) {
    if (typeof target !== 'object' || target === null) return undefined;
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!Object.hasOwn(target, key)) return undefined;
    target = (target as JsonSchema)[key];
  }
  return isJsonObject(target) || typeof target === 'boolean' ? target : undefined;
}
