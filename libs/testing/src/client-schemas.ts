/** A JSON Schema that clients send, which the gateway must take and dispatch must enforce. */
interface ClientSchema {
  readonly name: string;
  readonly schema: object;
  readonly fits: readonly unknown[];
  readonly misfits: readonly unknown[];
}

/** What older drafts, other tools and OpenAPI write; plain 2020-12 beside it. */
export const CLIENT_SCHEMAS: readonly ClientSchema[] = [
  { name: 'an empty schema', schema: {}, fits: [1, null], misfits: [] },
  {
    name: 'an object with properties',
    schema: { type: 'object', properties: { x: { type: ['string', 'null'] } }, required: ['x'] },
    fits: [{ x: null }],
    misfits: [{ x: 1 }, {}],
  },
  {
    name: 'properties called $ref, $id, pattern, id',
    schema: {
      properties: {
        $ref: { type: 'string' },
        $id: { type: 'string' },
        pattern: { type: 'string' },
        id: { type: 'string' },
      },
    },
    fits: [{ $ref: 'x', $id: 'x', pattern: '(', id: 'x' }],
    misfits: [{ $ref: 1 }, { $id: 1 }, { pattern: 1 }, { id: 1 }],
  },
  {
    name: 'properties that every object has',
    schema: { properties: { constructor: { type: 'string' } }, required: ['valueOf'] },
    fits: [{ valueOf: 1 }],
    misfits: [{}, { valueOf: 1, constructor: 1 }],
  },
  {
    name: 'multiples of a fraction',
    schema: { type: 'number', multipleOf: 0.01 },
    fits: [19.99, -0.07, 0.57, 1e6 + 0.29, 3, 0],
    misfits: [19.995, -0.0701, 0.001, 1e6 + 0.295, 1e-9, '19.99'],
  },
  {
    name: 'multiples of a whole number',
    schema: { multipleOf: 3 },
    fits: [9, -3, 0, 3e21, null],
    misfits: [10, 0.5, 1e-9, 2251799813685247.5],
  },
  {
    name: 'patterns that escape too much',
    schema: { type: 'string', pattern: '^[\\w\\-]+\\@$' },
    fits: ['a-b@'],
    misfits: ['a b@'],
  },
  {
    name: 'patterns that escape what needs none',
    schema: { type: 'string', pattern: '^\\_x\\-' },
    fits: ['_x-'],
    misfits: ['x-'],
  },
  {
    name: 'patterns with and without the "u" flag',
    schema: { allOf: [{ pattern: '^\\p{L}+' }, { pattern: '\\_$' }] },
    fits: ['é_'],
    misfits: ['1_', 'é'],
  },
  {
    name: 'pattern properties that escape too much',
    schema: { patternProperties: { '^\\_': { type: 'string' } } },
    fits: [{ _a: 'x', a: 1 }],
    misfits: [{ _a: 1 }],
  },
  {
    name: 'prefixItems',
    schema: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    fits: [['x'], []],
    misfits: [[1], ['x', 1]],
  },
  {
    name: 'draft-7 tuples',
    schema: { type: 'array', items: [{ type: 'string' }], additionalItems: false },
    fits: [['x'], []],
    misfits: [[1], ['x', 1]],
  },
  {
    name: 'draft-7 tuples that are open',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      definitions: { a: { items: [{}] } },
    },
    fits: [['x', 1]],
    misfits: [[1]],
  },
  {
    name: 'draft-7 tuples, one by reference, beside prefixItems',
    schema: {
      properties: {
        x: { items: [{ type: 'string' }], additionalItems: { type: 'number' } },
        y: { $ref: '#/properties/x/items/0' },
        z: { prefixItems: [{ type: 'string' }] },
      },
    },
    fits: [{ x: ['x', 1], y: 'x', z: ['x', 1] }],
    misfits: [{ x: ['x', 'x'] }, { y: 1 }, { z: [1] }],
  },
  {
    name: 'draft 2019-09, with tuples',
    schema: {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      properties: { x: { items: [{ type: 'string' }] } },
      unevaluatedProperties: false,
      dependentRequired: { x: ['y'] },
    },
    fits: [{}],
    misfits: [{ z: 1 }, { x: [] }],
  },
  {
    name: 'dependencies',
    schema: { dependencies: { x: ['y'], z: { required: ['x'] } } },
    fits: [{ x: 1, y: 1 }],
    misfits: [{ x: 1 }, { z: 1 }],
  },
  {
    name: 'nullable, and keywords of other people',
    schema: { type: 'string', nullable: true, 'x-order': 5, example: { $id: 'a', $anchor: 'a b' } },
    fits: ['x', null],
    misfits: [1],
  },
  { name: 'nullable without a type', schema: { nullable: true, minLength: 2 }, fits: ['xx'], misfits: ['x'] },
  {
    name: 'nullable that is no boolean',
    schema: { type: 'string', nullable: 'yes' },
    fits: ['x'],
    misfits: [1],
  },
  {
    name: 'nullable against the type',
    schema: { type: ['string', 'null'], nullable: false },
    fits: ['x', null],
    misfits: [1],
  },
  {
    name: 'nullable beside a reference',
    schema: { $defs: { x: { type: 'string' } }, properties: { x: { $ref: '#/$defs/x', nullable: true } } },
    fits: [{ x: 'x' }],
    misfits: [{ x: 1 }],
  },
  {
    name: '$async',
    schema: { $async: true, properties: { x: { $async: true, type: 'string' } } },
    fits: [{ x: 'x' }],
    misfits: [{ x: 1 }],
  },
  {
    name: 'id, as draft 4 has it',
    schema: { id: 'x', properties: { x: { id: 'x', type: 'string' } } },
    fits: [{ x: 'x' }],
    misfits: [{ x: 1 }],
  },
  {
    name: 'an $id that comes twice, and one that is no URI',
    schema: {
      properties: {
        x: { $id: 'x', type: 'string' },
        y: { $id: 'x', type: 'number' },
        z: { $id: 'http://[', type: 'number' },
      },
    },
    fits: [{ x: 'x', y: 1 }],
    misfits: [{ x: 1 }, { y: 'x' }, { z: 'x' }],
  },
  {
    name: 'an $id of places',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { x: { $id: '#/properties/x', type: 'string' } },
    },
    fits: [{ x: 'x' }],
    misfits: [{ x: 1 }],
  },
  {
    name: 'formats that nobody knows, twice',
    schema: { type: 'string', format: 'nonsense', allOf: [{ format: 'nonsense' }] },
    fits: ['x'],
    misfits: [1],
  },
  { name: 'nothing to choose from', schema: { enum: [] }, fits: [], misfits: [1, null] },
  {
    name: 'local references',
    schema: { $defs: { a: { type: 'string' } }, properties: { x: { $ref: '#/$defs/a' } } },
    fits: [{ x: 'x' }],
    misfits: [{ x: 1 }],
  },
  {
    name: 'a recursive schema',
    schema: { type: 'object', properties: { next: { $ref: '#' } } },
    fits: [{ next: { next: {} } }],
    misfits: [{ next: { next: 1 } }],
  },
  {
    name: 'definitions in a circle that nothing asks',
    schema: { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, type: 'string' },
    fits: ['x'],
    misfits: [1],
  },
  {
    name: 'escaped pointers',
    schema: {
      $defs: { 'a/b': { type: 'string' }, 'A<b c>': { type: 'string' } },
      properties: {
        x: { $ref: '#/$defs/a~1b' },
        y: { $ref: '#/$defs/A<b%20c>' },
        z: { $ref: '#/$defs%2Fa~1b' },
      },
    },
    fits: [{ x: 'x', y: 'x', z: 'x' }],
    misfits: [{ x: 1 }, { y: 1 }, { z: 1 }],
  },
  {
    name: 'a pointer past the keywords',
    schema: {
      components: {
        schemas: {
          a: { nullable: true, pattern: '^\\_', $ref: '#/components/schemas/b' },
          b: { type: 'string' },
        },
      },
      properties: { x: { $ref: '#/components/schemas/a' } },
    },
    fits: [{ x: '_' }],
    misfits: [{ x: 1 }, { x: 'x' }],
  },
  {
    name: 'a reference to a boolean',
    schema: { $defs: { never: false }, properties: { x: { $ref: '#/$defs/never' } } },
    fits: [{}],
    misfits: [{ x: 1 }],
  },
  {
    name: 'an anchor',
    schema: { $defs: { a: { $anchor: 'here', type: 'string' } }, items: { $ref: '#here' } },
    fits: [['x']],
    misfits: [[1]],
  },
  {
    name: 'an anchor in a tuple',
    schema: { prefixItems: [{ $anchor: 'here', type: 'string' }], items: { $ref: '#here' } },
    fits: [['x', 'x']],
    misfits: [['x', 1]],
  },
  {
    name: 'an anchor in an $id',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { a: { $id: '#here', type: 'string' } },
      additionalProperties: { $ref: '#here' },
    },
    fits: [{ x: 'x' }],
    misfits: [{ x: 1 }],
  },
  {
    name: 'dynamic and recursive references',
    schema: {
      $defs: { a: { $dynamicAnchor: 'here', type: 'string' } },
      properties: {
        x: { $dynamicRef: '#here' },
        y: { $dynamicRef: '#/$defs/a' },
        z: { $recursiveRef: '#', $ref: '#/properties/both' },
        both: { type: 'object' },
      },
    },
    fits: [{ x: 'x', y: 'x', z: { x: 'x' } }],
    misfits: [{ x: 1 }, { y: 1 }, { z: { x: 1 } }, { z: 1 }],
  },
  {
    name: 'a reference below an $id',
    schema: {
      properties: {
        x: { $id: 'https://example.org/x', type: 'object', properties: { next: { $ref: '#' } } },
      },
    },
    fits: [{ x: { next: { next: {} } } }],
    misfits: [{ x: { next: 1 } }],
  },
];
