import { compileValidator } from '@svc/validation';
import { CreateKeyRequest, RotateKeyRequest } from './key.contracts';

const key = { wallet: `0x${'a'.repeat(40)}`, keyHash: 'b'.repeat(64) };

describe('what a key ends with', () => {
  it.each([
    ['a new key', compileValidator(CreateKeyRequest), { ...key, name: 'spec' }],
    ['another value', compileValidator(RotateKeyRequest), { ...key, keyId: 'key_1', overlapSeconds: 0 }],
  ])('is text that the database takes: %s', (_, validate, request) => {
    expect(validate({ ...request, lastFour: 'aB3d' }).ok).toBe(true);
    expect(validate({ ...request, lastFour: '\u0000aB3' })).toMatchObject({
      ok: false,
      problem: { path: 'lastFour' },
    });
  });
});
