import { isJsonObject } from '@svc/validation';
import type { JsonObject, JsonValue } from './engine-request';
import { merged, numberAt, typeOf, without } from './schema-keywords';
import { UnsupportedSchemaError, writeNumber, writeString } from './schema-scalars';
import type { WordSupply } from './word-supply';

/** Past this depth only what must be there is written, so that recursive schemas come to an end. */
const FULL_DEPTH = 6;
const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 2_097_152;
const MAX_REFERENCES = 32;
/** Keywords that restrict a document in ways this writer does not follow. */
const BEYOND = ['not', 'if', 'contains', 'dependentSchemas', 'dependentRequired', '$dynamicRef'];

/**
 * Writes a document that satisfies a JSON Schema (2020-12 as tools use it, and older tuples: types, enum, const, properties,
 * required, items, formats, bounds, local `$ref`, anyOf/oneOf/allOf).
 * @param schema the schema; its depth must have been limited before
 * @param words where strings and numbers come from
 * @throws UnsupportedSchemaError where the schema asks for something the writer cannot satisfy
 */
export function writeDocument(schema: JsonValue, words: WordSupply): JsonValue {
  return new DocumentWriter(schema, words).write(schema, { path: '', name: '', depth: 0 });
}

interface Place {
  readonly path: string;
  /** The property the value stands in; a hint at its meaning. */
  readonly name: string;
  readonly depth: number;
}

class DocumentWriter {
  private values = 0;
  private characters = 0;
  private turn: number;
  private readonly mentioned = new Set<JsonValue>();

  constructor(
    private readonly root: JsonValue,
    private readonly words: WordSupply,
  ) {
    this.turn = words.random.integer(0, 99);
  }

  write(given: JsonValue, place: Place): JsonValue {
    if (++this.values > MAX_VALUES)
      throw new UnsupportedSchemaError(place.path, 'asks for too large a document');
    if (place.depth > MAX_DEPTH) throw new UnsupportedSchemaError(place.path, 'does not come to an end');
    const schema = this.resolve(given, place, 0);
    if ('const' in schema) return schema.const ?? null;
    if (Array.isArray(schema.enum)) return this.oneOf(schema.enum, place);
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches) && branches.length > 0) return this.branch(schema, branches, place);
    const beyond = BEYOND.find((keyword) => keyword in schema);
    if (beyond) throw new UnsupportedSchemaError(place.path, `uses "${beyond}"`);
    return this.typed(schema, place);
  }

  private typed(schema: JsonObject, place: Place): JsonValue {
    const type = typeOf(schema);
    switch (type) {
      case 'object':
        return this.object(schema, place);
      case 'array':
        return this.array(schema, place);
      case 'string':
        return this.string(schema, place);
      case 'integer':
      case 'number':
        return writeNumber({ ...schema, type }, this.words, place.path);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        throw new UnsupportedSchemaError(place.path, 'has a type that JSON does not know');
    }
  }

  private string(schema: JsonObject, place: Place): string {
    const text = writeString(schema, place.name, this.words, place.path);
    this.characters += text.length;
    if (this.characters > MAX_CHARACTERS)
      throw new UnsupportedSchemaError(place.path, 'asks for too much text');
    return text;
  }

  /** Follows `$ref` and folds `allOf` in. */
  private resolve(schema: JsonValue, place: Place, references: number): JsonObject {
    if (schema === true) return {};
    if (!isJsonObject(schema))
      throw new UnsupportedSchemaError(place.path, 'is not a schema that allows anything');
    if (references > MAX_REFERENCES) throw new UnsupportedSchemaError(place.path, 'refers to itself');
    const { $ref, allOf, ...own } = schema;
    const parts: JsonObject[] = [own];
    if (typeof $ref === 'string')
      parts.push(this.resolve(this.referenced($ref, place), place, references + 1));
    for (const part of Array.isArray(allOf) ? allOf : [])
      parts.push(this.resolve(part, place, references + 1));
    return parts.length === 1 ? own : parts.reduce(merged);
  }

  private referenced($ref: string, place: Place): JsonValue {
    let target: JsonValue | undefined = this.root;
    if (!/^#(?:\/|$)/.test($ref)) throw new UnsupportedSchemaError(place.path, 'refers to another document');
    for (const step of $ref.split('/').slice(1)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(target)) target = target[Number(key)];
      else target = isJsonObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    }
    if (target === undefined)
      throw new UnsupportedSchemaError(place.path, 'refers to something that is not there');
    return target;
  }

  /** A value of an enumeration: the first time one that the prompt speaks of, then each in turn. */
  private oneOf(values: readonly JsonValue[], place: Place): JsonValue {
    if (values.length === 0) throw new UnsupportedSchemaError(place.path, 'allows no value');
    const mentioned = values.find((value) => typeof value === 'string' && this.words.mentions(value));
    if (mentioned !== undefined && !this.mentioned.has(mentioned)) {
      this.mentioned.add(mentioned);
      return mentioned;
    }
    return values[this.turn++ % values.length] ?? null;
  }

  /** The first alternative that can be written: null last, or first where the document must come to an end. */
  private branch(schema: JsonObject, branches: readonly JsonValue[], place: Place): JsonValue {
    const shared = without(schema, 'anyOf', 'oneOf');
    const weight = (branch: JsonValue) => {
      const type = isJsonObject(branch) ? typeOf(branch) : 'string';
      if (place.depth <= FULL_DEPTH) return type === 'null' ? 1 : 0;
      if (type === 'null') return 0;
      const goesDeeper = type === 'object' || type === 'array' || (isJsonObject(branch) && '$ref' in branch);
      return goesDeeper ? 2 : 1;
    };
    const ordered = [...branches].sort((left, right) => weight(left) - weight(right));
    let failure: unknown;
    for (const branch of ordered) {
      try {
        return this.write(merged(shared, this.resolve(branch, place, 0)), {
          ...place,
          depth: place.depth + 1,
        });
      } catch (error) {
        if (!(error instanceof UnsupportedSchemaError)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  private object(schema: JsonObject, place: Place): JsonObject {
    const properties = isJsonObject(schema.properties) ? schema.properties : {};
    const required = (Array.isArray(schema.required) ? schema.required : []).filter(
      (name) => typeof name === 'string',
    );
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    const least = numberAt(schema, 'minProperties') ?? 0;
    const wanted = optional.filter(
      (name, index) =>
        required.length + index < least ||
        (place.depth < FULL_DEPTH && (required.length === 0 || this.speaksOf(name, properties[name]))),
    );
    const names = [...new Set([...required, ...wanted])];
    const extra = isJsonObject(schema.additionalProperties) ? schema.additionalProperties : {};
    for (let count = 1; names.length < least && count <= MAX_VALUES; count++)
      names.push(`${this.words.word()}_${count}`);
    if (names.length > (numberAt(schema, 'maxProperties') ?? Infinity))
      names.length = Math.max(required.length, 1);
    return Object.fromEntries(
      names.map((name) => {
        const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return [
          name,
          this.write(own ?? extra, { path: `${place.path}.${name}`, name, depth: place.depth + 1 }),
        ];
      }),
    );
  }

  /** Whether the prompt has the property's name or one of its values in it. */
  private speaksOf(name: string, schema: JsonValue | undefined): boolean {
    const values = isJsonObject(schema) && Array.isArray(schema.enum) ? schema.enum : [];
    return [name, ...values].some((word) => typeof word === 'string' && this.words.mentions(word));
  }

  private array(schema: JsonObject, place: Place): JsonValue[] {
    const { prefix, rest } = itemsOf(schema);
    const least = Math.max(numberAt(schema, 'minItems') ?? 0, place.depth > FULL_DEPTH ? 0 : prefix.length);
    const allowed = rest === false ? prefix.length : Infinity;
    const most = Math.min(numberAt(schema, 'maxItems') ?? Infinity, allowed);
    const count = Math.min(most, place.depth > FULL_DEPTH ? least : Math.max(least, 2));
    const items: JsonValue[] = [];
    const seen = new Set<string>();
    for (let attempt = 0; items.length < count && attempt < count * 8; attempt++) {
      const index = items.length;
      const item = this.write(prefix[index] ?? rest, {
        path: `${place.path}[${index}]`,
        name: place.name,
        depth: place.depth + 1,
      });
      const key = JSON.stringify(item);
      if (schema.uniqueItems === true && seen.has(key)) continue;
      seen.add(key);
      items.push(item);
    }
    if (items.length < least)
      throw new UnsupportedSchemaError(place.path, 'asks for more different items than were found');
    return items;
  }
}

/** A tuple's items and what may follow: drafts to 2019-09 call them `items` and `additionalItems`. */
function itemsOf({ prefixItems, items, additionalItems }: JsonObject): {
  prefix: JsonValue[];
  rest: JsonValue;
} {
  if (Array.isArray(prefixItems)) return { prefix: prefixItems, rest: items ?? {} };
  if (Array.isArray(items)) return { prefix: items, rest: additionalItems ?? {} };
  return { prefix: [], rest: items ?? {} };
}
