import { checkJsonSchema } from '@svc/openai-api';
import { CLIENT_SCHEMAS } from '@svc/testing';
import { SchemaChecks } from './schema-checks.service';

describe('SchemaChecks', () => {
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
      const checks = new SchemaChecks();
      for (const value of fits) expect([value, checks.matches(schema, value)]).toEqual([value, true]);
      for (const value of misfits) expect([value, checks.matches(schema, value)]).toEqual([value, false]);
    });

    it('does not keep what stands beside or around it from being enforced', () => {
      const checks = new SchemaChecks();
      expect([checks.matches(whole, {}), checks.matches(part, {})]).toEqual([false, false]);
      for (const a of fits) expect([a, checks.matches(part, { a })]).toEqual([a, true]);
      for (const a of misfits) expect([a, checks.matches(part, { a })]).toEqual([a, false]);
    });
  });

  it('takes a reference below an $id to mean the whole where it does not lead there', () => {
    const schema = {
      $defs: { a: { type: 'string' } },
      properties: { x: { $id: '/properties/x', properties: { y: { $ref: '#/$defs/a' } } } },
    };
    expect(checkJsonSchema(schema)).toBeUndefined();
    const checks = new SchemaChecks();
    expect([checks.matches(schema, { x: { y: 'y' } }), checks.matches(schema, { x: { y: 1 } })]).toEqual([
      true,
      false,
    ]);
  });

  it.each(['number', 'integer'])('takes no %s that nothing can hold', (type) => {
    const checks = new SchemaChecks();
    const taken = ['1e308', '-1.5e3', '9007199254740993'].map((text) =>
      checks.matches({ type }, JSON.parse(text)),
    );
    expect(taken).toEqual([true, true, true]);
    expect(['1e999', '-1e999'].map((text) => checks.matches({ type }, JSON.parse(text)))).toEqual([
      false,
      false,
    ]);
  });

  it('keeps no verdict that it came to because the process stood still', () => {
    let looks = 0;
    const stalling = {
      // The first look is at its text.
      get type() {
        if (looks++ > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
        return 'object';
      },
    };
    const checks = new SchemaChecks();
    expect(() => checks.matches(stalling, {})).toThrow('schema_too_expensive');
    expect(looks).toBe(4);
    expect(checks.matches({ type: 'object' }, {})).toBe(true);
  });

  it('refuses what cannot be compared, instead of breaking off', () => {
    const value: unknown = JSON.parse('{"valueOf":1}');
    for (const schema of [{ const: {} }, { enum: [{}] }]) {
      expect(new SchemaChecks().matches(schema, value)).toBe(false);
    }
    expect(new SchemaChecks().matches({ uniqueItems: true }, [value, value])).toBe(false);
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
    const checks = new SchemaChecks();
    for (const value of [1, {}]) expect(() => checks.matches(schema, value)).toThrow('schema_unusable');
  });
});
