import { checkJsonSchema } from './json-schema-check';

function nested(levels: number, innermost: object = {}): object {
  let schema = innermost;
  for (let level = 1; level < levels; level++) schema = { not: schema };
  return schema;
}

describe('checkJsonSchema', () => {
  // What else it takes stands in @svc/testing, whose CLIENT_SCHEMAS dispatch is held to.
  it('takes 64 levels', () => {
    expect(checkJsonSchema(nested(64))).toBeUndefined();
  });

  it('takes property escapes, the same pattern any number of times', () => {
    const names = Array.from({ length: 100 }, (_, at) => [`n${at}`, { pattern: '^[\\p{L}\\p{M} ]+$' }]);
    expect(checkJsonSchema({ properties: Object.fromEntries(names) as object })).toBeUndefined();
  });

  it('takes a long pattern, and many short ones', () => {
    const codes = Array.from({ length: 200 }, (_, at) => [`c${at}`, { pattern: `^${at}-[A-Z]{3}-[0-9]+$` }]);
    const long = { pattern: `^(${'[0-9a-f]{4}|'.repeat(170)})$` };
    expect(checkJsonSchema({ properties: { ...Object.fromEntries(codes), long } as object })).toBeUndefined();
  });

  it('takes 8,192 schemas, itself among them, and true and false', () => {
    const fields = Array.from({ length: 8_190 }, (_, at) => [`f${at}`, at % 2 === 0]);
    const properties = Object.fromEntries(fields) as object;
    expect(checkJsonSchema({ properties, additionalProperties: false })).toBeUndefined();
    expect(checkJsonSchema({ properties, additionalProperties: false, not: false })?.message).toBe(
      'holds more than 8192 schemas',
    );
  });

  it('has an opinion on an older enum of many values at once', () => {
    const values = Array.from({ length: 9_000 }, (_, at) => ({ at }));
    const started = performance.now();
    expect(checkJsonSchema({ items: [{}], enum: values })).toBeUndefined();
    // Each value held against every other takes seconds.
    expect(performance.now() - started).toBeLessThan(1_000);
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
    [
      'more property escapes than are read in no time',
      { properties: { a: { pattern: '\\p{L}'.repeat(60) }, b: { pattern: '[^\\P{N}]'.repeat(5) } } },
      /more than 64 property escapes/,
    ],
    [
      'a pattern that is too long',
      { properties: { a: { pattern: 'a'.repeat(2_049) } } },
      /more than 2048 char/,
    ],
    [
      'patterns that are too long together',
      { anyOf: Array.from({ length: 9 }, (_, at) => ({ pattern: `${at}${'a'.repeat(2_000)}` })) },
      /more than 16384 characters together/,
    ],
    ['a remote reference', { items: { $ref: 'https://example.com/x.json' } }, /leads out/],
    ['a relative reference', { items: { $ref: 'other.json#/a' } }, /leads out/],
    ['a reference to nothing', { items: { $ref: '#/$defs/a' } }, /leads nowhere/],
    ['a reference to a missing anchor', { items: { $ref: '#a' } }, /leads nowhere/],
    ['a reference to an inherited property', { items: { $ref: '#/constructor' } }, /leads nowhere/],
    [
      'a reference to an anchor that is there twice',
      {
        $defs: { a: { $anchor: 'a' }, b: { $anchor: 'a' } },
        items: { $ref: '#a' },
      },
      /twice/,
    ],
    [
      'a reference to no schema',
      { properties: { type: {} }, items: { $ref: '#/properties' } },
      /cannot be enforced: .*\/type/,
    ],
    [
      'a reference past the keywords to a broken pattern',
      { x: { pattern: '(' }, $ref: '#/x' },
      /regular expression/,
    ],
    ['a tuple in two drafts at once', { items: [{}], prefixItems: [{}] }, /cannot be enforced: \/items/],
    [
      'a tuple of draft 7 beside a broken keyword of a later one',
      { items: [{}], dependentRequired: 5 },
      /cannot be enforced: \/dependentRequired/,
    ],
    ['a number that JSON has no word for', { maximum: Infinity }, /\/maximum/],
    ['a reference to itself', { allOf: [{ $ref: '#' }] }, /leads back to itself/],
    [
      'references in a circle',
      {
        $defs: { a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } },
        items: { $ref: '#/$defs/a' },
      },
      /leads back to itself/,
    ],
    ['a broken pointer', { items: { $ref: '#/%zz' } }, /leads nowhere/],
    [
      'more schemas than are checked in no time',
      { anyOf: Array.from({ length: 8_192 }, () => ({})) },
      /holds more than 8192 schemas/,
    ],
    [
      'more of them where only a reference leads',
      { $ref: '#/x', x: { anyOf: Array.from({ length: 8_192 }, () => ({})) } },
      /holds more than 8192 schemas/,
    ],
    ['65 levels', nested(66), /deeper than 64/],
    ['too much', { description: 'x'.repeat(128 * 1024) }, /larger than 128 KiB/],
  ])('refuses %s', (_, schema, message) => {
    expect(checkJsonSchema(schema)?.message).toMatch(message);
    // The second answer comes from memory.
    expect(checkJsonSchema(structuredClone(schema))?.message).toMatch(message);
  });

  it('decides hostile schemas quickly', () => {
    const distinct = Array.from({ length: 15_000 }, (_, index) => `t${index}`);
    const many = Array.from({ length: 5_000 }, (_, index) => index);
    const tuples = many.slice(0, 30).reduce<object>((inner) => ({ items: [inner], additionalItems: {} }), {});
    // Each before those that stand before it.
    const members = Array.from({ length: 60_000 }, (_, at) => String.fromCodePoint(0x2f000 - 2 * at));
    const hostile: object[] = [
      { type: distinct },
      ...Array.from({ length: 4 }, (_, at) => ({ pattern: `${at}[${members.join('')}]` })),
      ...Array.from({ length: 5 }, (_, at) => ({ pattern: `${at}${'[\\p{L}\\p{N}]'.repeat(9_000)}` })),
      { required: distinct },
      { enum: distinct },
      { anyOf: Array.from({ length: 10_000 }, () => ({})) },
      tuples,
      { allOf: many.map(() => ({ $anchor: 'a', $ref: '#a' })) },
      { allOf: many.map((index) => ({ $ref: `#/allOf/${(index + 1) % many.length}` })) },
      // Each leads to all that the next leads to.
      {
        x: nested(58, { allOf: many.map(() => ({})) }),
        allOf: many.slice(0, 55).map((level) => ({ $ref: `#/x${'/not'.repeat(level)}` })),
      },
    ];
    // Of the processor's time: a machine that stands still meanwhile decides nothing more slowly.
    const before = process.cpuUsage();
    for (const schema of hostile) checkJsonSchema(schema);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(4_000);
  });
});
