import { SvcError } from '@svc/errors';
import { readAccess } from './provider-access';

const wallet = `0x${'ab'.repeat(20)}`;
const fields = { provider: `0x${'AB'.repeat(20)}`, issued_at: 1, expires_at: 2, signature: '0x1c2d' };
const encode = (value: unknown) =>
  `Wallet ${Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')}`;

describe('a provider’s access', () => {
  it('is read from the header', () => {
    const read = { provider: wallet, issuedAt: 1, expiresAt: 2, signature: '0x1c2d' };
    expect(readAccess(encode(fields), wallet)).toEqual(read);
    expect(readAccess(encode({ ...fields, more: 1 }).replace('Wallet', 'wallet '), wallet)).toEqual(read);
  });

  it.each<[string, string | undefined]>([
    ['no header', undefined],
    ['an API key', 'Bearer svc_test_x'],
    ['nothing in it', 'Wallet '],
    ['no base64url', 'Wallet {"provider"}'],
    ['no JSON', encode('hello')],
    ['no object', encode('[1]')],
    ['null', encode('null')],
    ['another provider', encode({ ...fields, provider: `0x${'cd'.repeat(20)}` })],
    ['no provider', encode({ ...fields, provider: undefined })],
    ['a moment that is none', encode({ ...fields, expires_at: '2' })],
    ['a moment beyond time', encode({ ...fields, expires_at: 1e300 })],
    ['no signature', encode({ ...fields, signature: 'x' })],
    ['more than any access has', encode({ ...fields, signature: `0x${'00'.repeat(8_000)}` })],
  ])('%s is refused in the same words', (_, header) => {
    const words = new Set<string>();
    try {
      readAccess(header, wallet);
    } catch (error) {
      if (!SvcError.is(error)) throw error;
      expect(error.code).toBe('invalid_api_key');
      words.add(error.message);
    }
    expect([...words]).toEqual([expect.stringMatching(/^Only the provider may read this\./)]);
  });
});
