import type { ChatCompletionRequest } from '@svc/openai-api';
import { canonicalJson, claimOf, readIdempotencyKey } from './idempotency-key';

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
    expect(canonicalJson({ 10: 1, 9: 2, x: { 2: 0, 1: 0 } })).toBe(
      canonicalJson({ x: { 1: 0, 2: 0 }, 9: 2, 10: 1 }),
    );
  });
});
