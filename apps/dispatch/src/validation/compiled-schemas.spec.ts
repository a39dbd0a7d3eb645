import { checkJsonSchema } from '@svc/openai-api';
import { CLIENT_SCHEMAS } from '@svc/testing';
import { CompiledSchemas } from './compiled-schemas';

function verdictOf(schemas: CompiledSchemas, schema: object, value: unknown) {
  return schemas.of(JSON.stringify(schema))(value).verdict;
}

describe('CompiledSchemas', () => {
  describe.each(CLIENT_SCHEMAS)('$name', ({ schema, fits, misfits }) => {
    const whole = { ...schema, type: 'object', required: ['a'] };
    // With an `$id` of its own, so that its references go on to mean itself.
    const part = { type: 'object', required: ['a'], properties: { a: { $id: 'a', ...schema } } };

    it.each([
      ['alone', schema],
      ['with more to ask', whole],
      ['as a part', part],
    ])('is taken by the gateway %s', (_, taken) => {
      expect(checkJsonSchema(taken)).toBeUndefined();
    });

    it('is enforced', () => {
      const schemas = new CompiledSchemas();
      for (const value of fits) expect([value, verdictOf(schemas, schema, value)]).toEqual([value, true]);
      for (const value of misfits) expect([value, verdictOf(schemas, schema, value)]).toEqual([value, false]);
    });

    it('does not keep what stands beside or around it from being enforced', () => {
      const schemas = new CompiledSchemas();
      expect([verdictOf(schemas, whole, {}), verdictOf(schemas, part, {})]).toEqual([false, false]);
      for (const a of fits) expect([a, verdictOf(schemas, part, { a })]).toEqual([a, true]);
      for (const a of misfits) expect([a, verdictOf(schemas, part, { a })]).toEqual([a, false]);
    });
  });

  it('takes a reference below an $id to mean the whole where it does not lead there', () => {
    const schema = {
      $defs: { a: { type: 'string' } },
      properties: { x: { $id: '/properties/x', properties: { y: { $ref: '#/$defs/a' } } } },
    };
    expect(checkJsonSchema(schema)).toBeUndefined();
    const schemas = new CompiledSchemas();
    expect([
      verdictOf(schemas, schema, { x: { y: 'y' } }),
      verdictOf(schemas, schema, { x: { y: 1 } }),
    ]).toEqual([true, false]);
  });

  it.each(['number', 'integer'])('takes no %s that nothing can hold', (type) => {
    const schemas = new CompiledSchemas();
    const taken = ['1e308', '-1.5e3', '9007199254740993'].map((text) =>
      verdictOf(schemas, { type }, JSON.parse(text)),
    );
    expect(taken).toEqual([true, true, true]);
    expect(['1e999', '-1e999'].map((text) => verdictOf(schemas, { type }, JSON.parse(text)))).toEqual([
      false,
      false,
    ]);
  });

  it('holds nothing against a schema for which its thread stood still', () => {
    let looks = 0;
    const stalling = {
      get type() {
        looks++;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
        return 'object';
      },
    };
    jest.spyOn(JSON, 'parse').mockReturnValueOnce(stalling).mockReturnValueOnce(stalling);
    const schemas = new CompiledSchemas();
    const answer = () => schemas.of('{"type":"object"}')({});
    expect(answer()).toMatchObject({ verdict: 'stood_still' });
    expect(looks).toBe(2);
    expect(answer()).toMatchObject({ verdict: true });
  });

  it('tells what is too much to compile from what is with one value', () => {
    const schemas = new CompiledSchemas();
    const answer = (schema: object, value: unknown) => schemas.of(JSON.stringify(schema))(value);
    const slow = { type: 'string', pattern: '^(a+)+$' };
    expect(answer(slow, `${'a'.repeat(40)}!`)).toMatchObject({ verdict: 'schema_too_expensive' });
    expect(answer(slow, 'aaa')).toMatchObject({ verdict: true });
    const parts = Object.fromEntries(
      Array.from({ length: 2_500 }, (_, index) => [`p${index}`, { type: ['string', 'null'] }]),
    );
    expect(answer({ properties: parts, patternProperties: parts }, {})).toMatchObject({
      verdict: 'schema_unusable',
    });
  });

  it('keeps what it has compiled, boundedly: in number, and in length together', () => {
    const schemas = new CompiledSchemas();
    for (let limit = 0; limit < 300; limit++)
      expect(verdictOf(schemas, { maximum: limit }, limit)).toBe(true);
    expect(schemas.size).toBe(256);
    const long = (at: number) => ({ maximum: at, description: 'x'.repeat(512 * 1024 - 100) });
    for (let limit = 0; limit < 5; limit++) expect(verdictOf(schemas, long(limit), limit)).toBe(true);
    expect(schemas.size).toBe(4);
  });

  it('refuses what cannot be compared, instead of breaking off', () => {
    const value: unknown = JSON.parse('{"valueOf":1}');
    for (const schema of [{ const: {} }, { enum: [{}] }]) {
      expect(verdictOf(new CompiledSchemas(), schema, value)).toBe(false);
    }
    expect(verdictOf(new CompiledSchemas(), { uniqueItems: true }, [value, value])).toBe(false);
  });

  it.each<[string, object]>([
    ['a reference to elsewhere', { $ref: 'https://elsewhere.example/schema' }],
    ['a reference to nowhere', { properties: { x: { $ref: '#/$defs/x' } } }],
    [
      'references in a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    ],
    ['a pattern that is none', { pattern: '(' }],
    ['a pattern that takes long to be made ready', { pattern: '(a{0,99})*'.repeat(4_000) }],
    ['a type that is none', { type: 'text' }],
  ])('lets no reply pass for a checked one under what the gateway refuses: %s', (_, schema) => {
    expect(checkJsonSchema(schema)).toBeDefined();
    const schemas = new CompiledSchemas();
    for (const value of [1, {}]) expect(verdictOf(schemas, schema, value)).toBe('schema_unusable');
  });
});
