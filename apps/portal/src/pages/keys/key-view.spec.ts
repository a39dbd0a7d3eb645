import { budgetShare, budgetText, keyChange, keysFor, nameProblem, readBudget } from './key-view';
import type { WalletKey } from './keys';

const key: WalletKey = {
  ...{ id: 'key_1', object: 'key', name: 'laptop', last_four: 'abcd', wallet: '0x', purpose: 'api' },
  ...{ created_at: '', last_used_at: null, previous_expires_at: null, state: 'active' },
  budget: { cap_usdc: '10.000000', reset: 'monthly', resets_at: '2026-12-01T00:00:00Z' },
  ...{ spent_usdc: '2.500000', held_usdc: '1.000000', spendable_usdc: '6.500000' },
};

describe('a key’s budget', () => {
  it('is a share of the cap, exact to a tenth of a per cent', () => {
    expect(budgetShare(key)).toEqual({ spent: 25, held: 10, isUsedUp: false });
    expect(budgetShare({ ...key, spent_usdc: '9.999999', held_usdc: '0.000000' })).toMatchObject({
      spent: 99.9,
    });
    expect(budgetShare({ ...key, spent_usdc: '9.500000' })).toEqual({ spent: 95, held: 5, isUsedUp: true });
    expect(budgetShare({ ...key, spent_usdc: '12.000000' })).toMatchObject({ spent: 100, held: 0 });
    expect(budgetShare({ ...key, budget: null })).toBeUndefined();
  });

  it('is written as it was typed', () => {
    expect(budgetText(key)).toEqual({ cap: '10', reset: 'monthly' });
    const budget = { cap_usdc: '0.500000', reset: null, resets_at: null };
    expect(budgetText({ budget })).toEqual({ cap: '0.5', reset: 'never' });
    expect(budgetText({ budget: { ...budget, cap_usdc: '100.000000' } })).toMatchObject({ cap: '100' });
    expect(budgetText({ budget: null })).toEqual({ cap: '', reset: 'never' });
  });

  it('is read exactly, and an empty one is none', () => {
    expect(readBudget({ cap: ' 1,250.5 ', reset: 'daily' })).toEqual({
      budget: { budget_usdc: '1250.500000', budget_reset: 'daily' },
    });
    expect(readBudget({ cap: ' ', reset: 'daily' })).toEqual({ budget: undefined });
    for (const cap of ['0', '0.000000', '-1', 'ten', '1e3', '1.2345678', '99999999999999']) {
      expect(readBudget({ cap, reset: 'never' })).toHaveProperty('problem');
    }
  });
});

describe('an edit of a key', () => {
  const budget = { budget_usdc: '10.000000', budget_reset: 'monthly' } as const;

  it.each([
    ['its name alone', { name: ' desktop ', budget }, { name: 'desktop' }],
    [
      'its cap alone',
      { name: 'laptop', budget: { ...budget, budget_usdc: '9.000000' } },
      { budget_usdc: '9.000000' },
    ],
    [
      'when it starts anew',
      { name: 'laptop', budget: { ...budget, budget_reset: 'never' } },
      { budget_reset: 'never' },
    ],
    ['that it has no budget any more', { name: 'laptop', budget: undefined }, { remove_budget: true }],
    ['nothing', { name: 'laptop', budget }, {}],
  ] as const)('sends %s', (_, edited, change) => {
    expect(keyChange(key, edited)).toEqual(change);
  });

  it('sends the whole of a first budget, and none where there was none', () => {
    const free = { ...key, budget: null };
    const never = { ...budget, budget_reset: 'never' } as const;
    expect(keyChange(free, { name: 'laptop', budget: never })).toEqual(never);
    expect(keyChange(free, { name: 'laptop', budget: undefined })).toEqual({});
  });
});

describe('a wallet’s keys', () => {
  const keys: WalletKey[] = [
    key,
    { ...key, id: 'key_2', state: 'disabled' },
    { ...key, id: 'key_3', state: 'revoked' },
  ];

  it('are told by whether they may work', () => {
    expect(keysFor('working', keys).map(({ id }) => id)).toEqual(['key_1', 'key_2']);
    expect(keysFor('revoked', keys).map(({ id }) => id)).toEqual(['key_3']);
    expect(keysFor('all', keys)).toHaveLength(3);
  });

  it('have names that somebody can read', () => {
    expect(nameProblem('laptop')).toBeUndefined();
    expect(nameProblem('🙂'.repeat(80))).toBeUndefined();
    expect(nameProblem('  ')).toMatch(/name/);
    expect(nameProblem('x'.repeat(81))).toMatch(/80/);
  });
});
