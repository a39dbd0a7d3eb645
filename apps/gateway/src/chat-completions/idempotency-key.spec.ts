import type { ChatCompletionRequest } from '@svc/openai-api';
import { readRequest } from './completion-order';
import { canonicalJson, claimOf, readIdempotencyKey } from './idempotency-key';

const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } };
const parameters = { type: 'object', properties: { item: { type: 'string' } } };
const tool = { type: 'function', function: { name: 'look_up', description: 'd', parameters, strict: false } };
const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hi' }] } as ChatCompletionRequest;

const read = (...keys: string[]) =>
  readIdempotencyKey({
    headers: keys.length > 0 ? { 'idempotency-key': keys.join(', ') } : {},
    headersDistinct: keys.length > 0 ? { 'idempotency-key': keys } : {},
  });
const refusal = expect.objectContaining({
  payload: expect.objectContaining({ code: 'invalid_request', param: 'Idempotency-Key' }) as unknown,
}) as Error;

describe('an idempotency key', () => {
  it.each([['x'], ['x'.repeat(255)], ['8e03978e-40d5-43e8-bc93-6894a57f9324'], ['!"#$ ~']])(
    'can be %s',
    (key) => {
      expect(read(key)).toBe(key);
    },
  );

  it.each([[''], ['x'.repeat(256)], ['é'], ['a\tb'], ['a\u007f'], [`a\u0000`]])('cannot be %j', (key) => {
    expect(() => read(key)).toThrow(refusal);
  });

  it.each([[['a', 'b']], [['a', 'a']]])('is not two: %j', (keys) => {
    expect(() => read(...keys)).toThrow(refusal);
  });

  it('need not be there', () => {
    expect(read()).toBeUndefined();
  });
});

describe('what billing is told', () => {
  const claim = (fields: object, key = 'k', path = '/v1/chat/completions') =>
    claimOf(key, 'pepper', path, { ...request, ...fields });

  it('is two digests that tell neither key nor request', () => {
    const { keyHash, fingerprint } = claim({});
    for (const digest of [keyHash, fingerprint]) expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(claimOf('k', 'another pepper', '/', request).keyHash).not.toBe(keyHash);
  });

  it('differs with the key, the path and whatever the request asks for', () => {
    expect(claim({}, 'other').keyHash).not.toBe(claim({}).keyHash);
    const prints = [
      claim({}),
      claim({}, 'k', '/v1/embeddings'),
      claim({ stream: true }),
      claim({ temperature: 0 }),
    ];
    expect(new Set(prints.map(({ fingerprint }) => fingerprint)).size).toBe(prints.length);
    expect(claim({}, 'other').fingerprint).toBe(claim({}).fingerprint);
  });

  it('is the same for the same values in another order', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null, e: undefined })).toBe(
      '{"a":null,"b":[{"c":2,"d":1}]}',
    );
    expect(canonicalJson([2, 1])).toBe('[2,1]');
    // The numbers first, as it has been.
    expect(canonicalJson({ b: 1, 10: 1, '01': 1, 9: 2, B: 1 })).toBe('{"9":2,"10":1,"01":1,"B":1,"b":1}');
    expect(canonicalJson({ 10: 1, 9: 2, x: { 2: 0, 1: 0 } })).toBe(
      canonicalJson({ x: { 1: 0, 2: 0 }, 9: 2, 10: 1 }),
    );
  });

  /** Digests of before, which wait in billing for a day: another one refuses who repeats a request after an upgrade. */
  it.each<[string, object]>([
    [
      'aa700ad808363699b94be14a13ab6dd881a77ac7aba4b0498b2c1d8321297cda',
      {
        messages: [
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: 'Hi', name: 'Ada', cache: true },
        ],
        ...{ max_tokens: 5, temperature: 0.5, user: 'u', unknown: 1 },
      },
    ],
    [
      '52c7266c727a4e97250249f21970510114de24114553bb41fd6c563e8a48fe86',
      {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: {} }] }],
        ...{ stream: true, stream_options: { include_usage: true }, stop: ['a'], reasoning_effort: 'none' },
      },
    ],
    [
      '3e44bb165e1ceb55fcf48130e1e8f4f3158be27eb634d3913f274ab10f462aa6',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: null, refusal: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: '3' },
          { role: 'assistant', content: null, refusal: 'No.' },
        ],
        tools: [tool],
        tool_choice: { type: 'function', function: { name: 'look_up' } },
        ...{ parallel_tool_calls: false, response_format: { type: 'json_object' } },
      },
    ],
  ])('is %s for good for what it has been', (digest, fields) => {
    const read = readRequest({ ok: true, value: { model: 'svc/demo@1', ...fields } });
    expect(claimOf('k', 'pepper', '/v1/chat/completions', read)).toEqual({
      keyHash: '5051a58b028ff39218d2bf40e9abcd64dadbdf995d20fe78ed5f3bd517e0bdc0',
      fingerprint: digest,
    });
  });
});
