import { credentialPublicKeyOf, generateCredentialKey } from './credential-key';
import { CredentialOpener, CredentialSealer, UnreadableCredentialError } from './credential-seal';

const owner = { provider: `0x${'a'.repeat(40)}`, endpoint: 'https://models.example/v1' };
const key = generateCredentialKey();
const sealer = new CredentialSealer(credentialPublicKeyOf(key));

describe('a sealed credential', () => {
  it('opens for its owner, with the key or the one before', () => {
    const sealed = sealer.seal(owner, 'tökén');
    expect(new CredentialOpener(key).open(owner, sealed)).toBe('tökén');
    expect(new CredentialOpener(generateCredentialKey(), key).open(owner, sealed)).toBe('tökén');
    // All of it: a few characters of it come about by chance.
    expect(Buffer.from(sealed, 'base64url').includes('tökén')).toBe(false);
  });

  it('opens as a version before has sealed it', () => {
    const sealed = 'AQ9tJVN7CQEd-U7gonS6vQyhrj0Xl6fu81NN-Du3Yd5dssQcALJmTMDOi0Uko8SukyqwjcxYbC7oLSgk';
    const before = new CredentialOpener(Buffer.alloc(32, 7).toString('base64url'));
    expect(before.open(owner, sealed)).toBe('tökén');
    expect(before.isForFormerKey(sealed)).toBe(false);
  });

  it('says whether it is for a key before the first, also of one that it cannot open', () => {
    const sealed = sealer.seal(owner, 'token');
    const former = new CredentialOpener(generateCredentialKey(), key);
    expect(former.isForFormerKey(sealed)).toBe(true);
    expect(new CredentialOpener(key).isForFormerKey(sealed)).toBe(false);
    expect(new CredentialOpener(generateCredentialKey()).isForFormerKey(sealed)).toBe(false);
    expect(former.isForFormerKey('')).toBe(false);
  });

  it('is another each time', () => {
    expect(sealer.seal(owner, 'token')).not.toBe(sealer.seal(owner, 'token'));
  });

  it.each([
    ['another endpoint', { ...owner, endpoint: 'https://evil.example/v1' }],
    ['another provider', { ...owner, provider: `0x${'b'.repeat(40)}` }],
  ])('does not open for %s', (_, other) => {
    const sealed = sealer.seal(owner, 'token');
    expect(() => new CredentialOpener(key).open(other, sealed)).toThrow(UnreadableCredentialError);
  });

  it('does not open when any byte was changed, cut off, or with another key', () => {
    const bytes = Buffer.from(sealer.seal(owner, 'token'), 'base64url');
    const opener = new CredentialOpener(key);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => opener.open(owner, changed.toString('base64url'))).toThrow(UnreadableCredentialError);
    }
    for (const text of ['', 'AQ', bytes.subarray(0, 40).toString('base64url')]) {
      expect(() => opener.open(owner, text)).toThrow(UnreadableCredentialError);
    }
    const other = new CredentialOpener(generateCredentialKey());
    expect(() => other.open(owner, bytes.toString('base64url'))).toThrow(UnreadableCredentialError);
  });

  it('takes keys of 32 bytes only', () => {
    expect(() => new CredentialSealer('short')).toThrow(RangeError);
    expect(() => new CredentialOpener(`${'a'.repeat(42)}!`)).toThrow(RangeError);
    expect(() => credentialPublicKeyOf('')).toThrow(RangeError);
  });
});
