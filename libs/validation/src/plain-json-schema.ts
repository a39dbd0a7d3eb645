import { isJsonObject } from './json-object';
import { ASKING_KEYWORDS } from './json-schema-keywords';
import type { JsonSchema } from './json-schema-keywords';
import type { JsonSchemaTree } from './json-schema-tree';

const { single, lists, maps } = ASKING_KEYWORDS;

/** Keywords that ask something of a value and hold no schemas. */
const VALUES = new Set([
  'const',
  'dependentRequired',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'required',
  'type',
  'uniqueItems',
]);

/**
 * What a client's JSON Schema asks of a value, in the words of draft 2020-12 alone: older tuples become `prefixItems`,
 * `nullable` a type, references pointers into `$defs`. What asks nothing is left out, and is in no compiler's way: `$id`,
 * `id`, `$async`, anchors, formats, keywords of other people. Each part is written once, so it is hardly larger than the schema.
 * @param tree nested as deep as the caller lets it
 */
export function plainJsonSchema(tree: JsonSchemaTree): JsonSchema | boolean {
  return new PlainSchema(tree).write();
}

class PlainSchema {
  private readonly places = new Map<unknown, string>();

  constructor(private readonly tree: JsonSchemaTree) {
    for (const schema of tree.shared) this.places.set(schema, `#/$defs/${this.places.size}`);
    this.places.set(tree.root, '#');
  }

  write(): JsonSchema | boolean {
    const plain = this.plainOf(this.tree.root);
    if (typeof plain === 'boolean') return plain;
    const defs = [...this.tree.shared].map((schema, index) => [index, this.plainOf(schema)]);
    return { ...plain, $defs: Object.fromEntries(defs) as unknown };
  }

  /** A schema at one of the places where it is used; what is none stays what it is. */
  private readonly use = (schema: unknown): unknown => {
    if (!isJsonObject(schema)) return schema;
    const place = this.places.get(schema);
    return place === undefined ? this.plainOf(schema) : { $ref: place };
  };

  private plainOf(schema: JsonSchema): JsonSchema | boolean {
    // Nothing is in an empty list, and Ajv takes none.
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    const plain: JsonSchema = {};
    for (const keyword of Object.keys(schema)) {
      const held = schema[keyword];
      if (VALUES.has(keyword)) plain[keyword] = held;
      else if (single.has(keyword) || lists.has(keyword)) {
        plain[keyword] = Array.isArray(held) ? held.map(this.use) : this.use(held);
      } else if (maps.has(keyword)) plain[keyword] = isJsonObject(held) ? this.useEach(held) : held;
    }
    const targets = this.tree.targetsOf(schema).map(this.use);
    if (targets.length > 0) plain.allOf = [plain.allOf ?? [], targets].flat();
    // As OpenAPI has it: without a type it says nothing.
    if (schema.nullable === true && schema.type !== undefined) {
      plain.type = [...new Set([schema.type, 'null'].flat())];
    }
    return withoutOldTuple(plain);
  }

  private useEach(map: JsonSchema): JsonSchema {
    return Object.fromEntries(Object.keys(map).map((key) => [key, this.use(map[key])]));
  }
}

/** Drafts to 2019-09 say `items` for a tuple and `additionalItems` for the rest; a schema that says it both ways is left alone. */
function withoutOldTuple(plain: JsonSchema): JsonSchema {
  // Nearly all. A copy of each is dear.
  if (!('additionalItems' in plain) && !Array.isArray(plain.items)) return plain;
  const { additionalItems, ...others } = plain;
  if (!Array.isArray(plain.items) || plain.prefixItems !== undefined) return others;
  return { ...others, prefixItems: plain.items as unknown, items: additionalItems };
}
