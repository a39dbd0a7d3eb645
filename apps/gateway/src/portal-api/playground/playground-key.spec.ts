import { generateApiKey, hashApiKey, isWellFormedApiKey, lastFourOf } from '@svc/api-key';
import type { KeyView } from '@svc/contracts';
import {
  PLAYGROUND_LAST_FOUR,
  isPlaygroundKey,
  playgroundKeyHash,
  playgroundKeysAmong,
} from './playground-key';

const wallet = `0x${'a'.repeat(40)}`;
const pepper = 'a pepper for tests only';

function key(keyId: string, lastFour = PLAYGROUND_LAST_FOUR): KeyView {
  return {
    ...{ keyId, wallet, name: 'Playground', lastFour, state: 'active', createdAt: '', lastUsedAt: null },
    ...{ previousExpiresAt: null, budgetCap: null, budgetReset: null, resetsAt: null },
    ...{ spent: '0', held: '0', spendable: '0' },
  };
}

describe('the playground’s key', () => {
  it('has a hash of its own for each wallet and generation, under the pepper', () => {
    const hash = playgroundKeyHash(wallet, 1, pepper);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(playgroundKeyHash(wallet, 1, pepper)).toBe(hash);
    const others = [
      playgroundKeyHash(wallet, 2, pepper),
      playgroundKeyHash(`0x${'b'.repeat(40)}`, 1, pepper),
      playgroundKeyHash(wallet, 1, 'another pepper'),
    ];
    expect(others).not.toContain(hash);
  });

  it('is the hash of nothing that could be sent as a key', () => {
    const hashed = `playground:${wallet}:1`;
    expect(playgroundKeyHash(wallet, 1, pepper)).toBe(hashApiKey(hashed, pepper));
    for (const prefix of ['svc_test_', 'svc_live_', ''])
      expect(isWellFormedApiKey(hashed, prefix)).toBe(false);
  });

  it('is told from keys that have a value, whatever they are called', () => {
    const lastFour = lastFourOf(generateApiKey('svc_test_'));
    expect(lastFour).toMatch(/^[0-9A-Za-z]{4}$/);
    expect(PLAYGROUND_LAST_FOUR).toHaveLength(4);
    expect([isPlaygroundKey(key('one')), isPlaygroundKey(key('other', lastFour))]).toEqual([true, false]);
  });

  it('is the newest of its generations', () => {
    const keys = [key('third', 'abcd'), key('second'), key('first')];
    expect(playgroundKeysAmong(keys)).toMatchObject({ generation: 2, newest: { keyId: 'second' } });
    expect(playgroundKeysAmong([])).toEqual({ generation: 0, newest: undefined });
  });
});
