import { checkJsonSchema } from './json-schema-check';

function nested(levels: number): object {
  let schema: object = {};
  for (let level = 1; level < levels; level++) schema = { not: schema };
  return schema;
}

describe('checkJsonSchema', () => {
  it.each<[string, object]>([
    ['an empty schema', {}],
    [
      'an object with properties',
      { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'] },
    ],
    ['a property called $ref', { properties: { $ref: { type: 'string' }, pattern: { type: 'string' } } }],
    ['local references', { $defs: { a: { type: 'string' } }, properties: { x: { $ref: '#/$defs/a' } } }],
    ['a recursive schema', { properties: { next: { $ref: '#' } } }],
    ['an escaped pointer', { $defs: { 'a/b': {} }, items: { $ref: '#/$defs/a~1b' } }],
    ['an anchor', { $defs: { a: { $anchor: 'here' } }, items: { $ref: '#here' } }],
    ['draft-7 tuples', { type: 'array', items: [{ type: 'string' }], additionalItems: false }],
    ['prefixItems', { type: 'array', prefixItems: [{ type: 'string' }], items: false }],
    ['unknown keywords', { nullable: true, 'x-order': 5 }],
    ['patterns that escape too much', { pattern: '^[\\w\\-]+\\@$' }],
    ['64 levels', nested(64)],
  ])('takes %s', (_, schema) => {
    expect(checkJsonSchema(schema)).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', 'string', /must be a JSON Schema object/],
    ['an array', [], /must be a JSON Schema object/],
    ['an unknown type', { type: 'text' }, /no valid JSON Schema: \/type/],
    ['a type many times', { type: Array.from({ length: 8 }, () => 'string') }, /type/],
    ['properties that are none', { properties: { a: 5 } }, /no valid JSON Schema/],
    ['a broken subschema', { $defs: { a: { anyOf: [{ minLength: -1 }] } } }, /no valid JSON Schema/],
    ['required that is no list', { required: 'a' }, /no valid JSON Schema/],
    ['a pattern that does not compile', { properties: { a: { pattern: '(' } } }, /regular expression/],
    ['a pattern property that does not compile', { patternProperties: { '[': {} } }, /regular expression/],
    ['a remote reference', { items: { $ref: 'https://example.com/x.json' } }, /leads out/],
    ['a relative reference', { items: { $ref: 'other.json#/a' } }, /leads out/],
    ['a reference to nothing', { items: { $ref: '#/$defs/a' } }, /leads nowhere/],
    ['a reference to a missing anchor', { items: { $ref: '#a' } }, /leads nowhere/],
    ['a reference to an inherited property', { items: { $ref: '#/constructor' } }, /leads nowhere/],
    ['a broken pointer', { items: { $ref: '#/%zz' } }, /leads nowhere/],
    ['65 levels', nested(66), /deeper than 64/],
    ['too much', { description: 'x'.repeat(128 * 1024) }, /larger than 128 KiB/],
  ])('refuses %s', (_, schema, message) => {
    expect(checkJsonSchema(schema)?.message).toMatch(message);
    // The second answer comes from memory.
    expect(checkJsonSchema(structuredClone(schema))?.message).toMatch(message);
  });

  it('decides hostile schemas quickly', () => {
    const distinct = Array.from({ length: 15_000 }, (_, index) => `t${index}`);
    const hostile: object[] = [
      { type: distinct },
      { required: distinct },
      { enum: distinct },
      { anyOf: Array.from({ length: 10_000 }, () => ({})) },
    ];
    const startedMs = performance.now();
    for (const schema of hostile) checkJsonSchema(schema);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
