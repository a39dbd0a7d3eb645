import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from './engine-request';
import { readPrompt } from './prompt-reading';
import { writeDocument } from './schema-document';
import { UnsupportedSchemaError } from './schema-scalars';
import { SeededRandom } from './seeded-random';
import { WordSupply } from './word-supply';

const ajv = new Ajv2020({ strict: false, validateFormats: false });

function documentFor(
  schema: JsonValue,
  prompt = 'A trip for Ada Lovelace from Paris to Rome, 3 nights',
): JsonValue {
  return writeDocument(schema, new WordSupply(readPrompt(prompt), new SeededRandom(prompt)));
}

function expectFits(schema: JsonObject): void {
  const document = documentFor(schema);
  const valid = ajv.validate(schema, document);
  expect({ document, errors: valid ? null : ajv.errors }).toEqual({ document, errors: null });
}

describe('a document for a schema', () => {
  const text = { type: 'string' };
  it.each<[string, JsonObject]>([
    ['nothing asked', {}],
    [
      'required and optional properties',
      { type: 'object', properties: { a: text, b: text }, required: ['b'] },
    ],
    ['no property required', { type: 'object', properties: { a: text, b: { type: 'boolean' } } }],
    ['a required property without a schema', { type: 'object', required: ['a'] }],
    ['nullable type', { type: ['null', 'integer'] }],
    ['enum', { enum: ['car', 'train'] }],
    ['const', { const: { a: 1 } }],
    ['length', { type: 'string', minLength: 50, maxLength: 60 }],
    ['short length', { type: 'string', maxLength: 2 }],
    ['bounds', { type: 'integer', minimum: 10, maximum: 12 }],
    ['negative bounds', { type: 'number', maximum: -5 }],
    ['exclusive bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ['a multiple', { type: 'integer', multipleOf: 7, minimum: 100 }],
    ['a fractional multiple', { type: 'number', multipleOf: 0.25, minimum: 1.1, maximum: 1.4 }],
    ['items', { type: 'array', items: { type: 'integer' }, minItems: 3 }],
    ['no items', { type: 'array', items: text, maxItems: 0 }],
    ['unique items', { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 3 }],
    ['a tuple', { type: 'array', prefixItems: [text, { type: 'integer' }], items: false, maxItems: 2 }],
    ['a tuple of one', { type: 'array', prefixItems: [text], items: false }],
    ['least properties', { type: 'object', minProperties: 3, additionalProperties: { type: 'integer' } }],
    ['anyOf', { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 3 }] }],
    ['anyOf whose first cannot be written', { anyOf: [{ not: {} }, { type: 'boolean' }] }],
    ['allOf', { allOf: [{ type: 'object', properties: { a: text }, required: ['a'] }, { required: ['b'] }] }],
    ['a pattern', { type: 'string', pattern: '^[A-Z]{2}-\\d{4}(?:-(?:a|b))?$' }],
    [
      'a reference',
      {
        $ref: '#/$defs/place',
        $defs: { place: { type: 'object', properties: { zip: text }, required: ['zip'] } },
      },
    ],
    [
      'a recursive reference',
      {
        type: 'object',
        properties: { name: text, children: { type: 'array', items: { $ref: '#' } } },
        required: ['name', 'children'],
      },
    ],
    [
      'a recursive alternative',
      {
        type: 'object',
        properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
        required: ['next'],
      },
    ],
  ])('satisfies %s', (_, schema) => expectFits(schema));

  it.each([
    ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    ['date', /^\d{4}-\d\d-\d\d$/],
    ['email', /^[a-z-]+@example\.com$/],
    ['uri', /^https:\/\/example\.com\/[a-z-]+$/],
    ['uuid', /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/],
    ['ipv4', /^192\.0\.2\.\d+$/],
  ])('writes the format %s', (format, expected) => {
    expect(documentFor({ type: 'string', format })).toMatch(expected);
  });

  it('writes a tuple as older drafts say it, which is how many packages do', () => {
    const tuple = [{ type: 'string' }, { type: 'integer' }];
    const [first, second, ...rest] = documentFor({ items: tuple, additionalItems: false }) as JsonValue[];
    expect([typeof first, typeof second, rest]).toEqual(['string', 'number', []]);
    expect(documentFor({ items: tuple, additionalItems: { const: 7 }, minItems: 3 })).toHaveProperty('2', 7);
  });

  it("takes the prompt's words, numbers and values", () => {
    const schema = {
      type: 'object',
      properties: { who: { type: 'string' }, nights: { type: 'integer' }, by: { enum: ['car', 'Rome'] } },
      required: ['who', 'nights', 'by'],
    };
    expect(documentFor(schema)).toEqual({ who: 'Ada Lovelace', nights: 3, by: 'Rome' });
  });

  it.each<[string, JsonValue]>([
    ['a schema nothing satisfies', false],
    ['another document', { $ref: 'https://example.com/schema' }],
    ['a missing definition', { $ref: '#/$defs/none' }],
    ['a loop of references', { $ref: '#' }],
    ['endless required depth', { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }],
    ['endless alternatives', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }],
    ['no number left', { type: 'integer', minimum: 3, maximum: 2 }],
    ['a wrong type', { type: 'date' }],
    ['too long a string', { type: 'string', minLength: 10_000_000 }],
    ['too many items', { type: 'array', items: {}, minItems: 1_000_000 }],
    ['too much text', { type: 'array', items: { type: 'string', minLength: 900_000 }, minItems: 9 }],
    ['negation', { not: { type: 'string' } }],
    ['a pattern with look-ahead', { type: 'string', pattern: '(?=a)b' }],
  ])('refuses %s', (_, schema) => {
    expect(() => documentFor(schema)).toThrow(UnsupportedSchemaError);
  });

  it('satisfies whatever is built of the usual keywords', () => {
    const { schema } = fc.letrec<{ schema: JsonObject; leaf: JsonObject }>((tie) => ({
      leaf: fc.oneof(
        fc.constant<JsonObject>({ type: 'boolean' }),
        fc.record({ minLength: fc.nat(30) }).map((rules): JsonObject => ({ type: 'string', ...rules })),
        fc
          .tuple(fc.integer({ min: -99, max: 99 }), fc.nat(50))
          .map(([minimum, span]): JsonObject => ({ type: 'integer', minimum, maximum: minimum + span })),
      ),
      schema: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        tie('leaf'),
        fc
          .tuple(tie('schema'), fc.nat(3))
          .map(([items, minItems]): JsonObject => ({ type: 'array', items, minItems })),
        fc.tuple(tie('schema'), tie('schema')).map(([a, b]): JsonObject => ({
          type: 'object',
          properties: { a, b },
          required: ['a'],
          additionalProperties: false,
        })),
      ),
    }));
    fc.assert(fc.property(schema, expectFits), { numRuns: 200 });
  });
});
