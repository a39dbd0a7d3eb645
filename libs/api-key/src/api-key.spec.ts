import { deriveApiKey, generateApiKey, hashApiKey, isWellFormedApiKey, lastFourOf } from './api-key';

describe('API keys', () => {
  it('have the prefix, 43 + 6 base-62 characters, and differ', () => {
    const keys = Array.from({ length: 200 }, () => generateApiKey('svc_test_'));
    for (const key of keys) {
      expect(key).toMatch(/^svc_test_[0-9A-Za-z]{49}$/);
      expect(isWellFormedApiKey(key, 'svc_test_')).toBe(true);
    }
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('are refused with any one character changed, and under the other environment', () => {
    const key = generateApiKey('svc_test_');
    for (let at = 'svc_test_'.length; at < key.length; at++) {
      const typo = key.slice(0, at) + (key[at] === 'A' ? 'B' : 'A') + key.slice(at + 1);
      expect(isWellFormedApiKey(typo, 'svc_test_')).toBe(false);
    }
    expect(isWellFormedApiKey(key, 'svc_live_')).toBe(false);
    expect(isWellFormedApiKey(`svc_live_${key.slice(9)}`, 'svc_live_')).toBe(false);
    for (const odd of ['', 'svc_test_', `${key} `, `${key}0`, key.slice(1), `${key}\n`]) {
      expect(isWellFormedApiKey(odd, 'svc_test_')).toBe(false);
    }
  });

  it('are stored as a peppered hash that does not hold the key', () => {
    const key = generateApiKey('svc_test_');
    expect(hashApiKey(key, 'pepper')).toMatch(/^[0-9a-f]{64}$/);
    expect(hashApiKey(key, 'pepper')).not.toBe(hashApiKey(key, 'other'));
    expect(lastFourOf(key)).toBe(key.slice(-4));
  });

  it('stay good, and are found under the same hash, whatever version made them', () => {
    const key = 'svc_test_MdElmuEnOFGPmOuaFrAdT63rzcWNRVYtOP0c1ylyO1n0fV4fK';
    expect(deriveApiKey('svc_test_', 'a pepper', ['wallet', 'token'])).toBe(key);
    expect(isWellFormedApiKey(key, 'svc_test_')).toBe(true);
    expect(hashApiKey(key, 'pepper')).toBe(
      '1594e5e48b6df49b56ac3f1b9b5c26f5c4cba61a9521b9f32a96304fbcb20b30',
    );
  });

  it('follow from the request that made them, when they are derived', () => {
    const derive = (...request: string[]) => deriveApiKey('svc_test_', 'a pepper', request);
    const key = derive('wallet', 'token');
    expect(isWellFormedApiKey(key, 'svc_test_')).toBe(true);
    expect(derive('wallet', 'token')).toBe(key);
    const others = [
      derive('wallet', 'other'),
      derive('wallettoken'),
      derive('wallet', 'token', ''),
      deriveApiKey('svc_test_', 'another pepper', ['wallet', 'token']),
      deriveApiKey('svc_live_', 'a pepper', ['wallet', 'token']).replace('live', 'test'),
    ];
    expect(new Set([key, ...others]).size).toBe(6);
  });
});
