import type { Position } from '../../live/use-position';
import { approvalWords, limitedBy, partsOf, shortageOf } from './position';

const position = (values: Partial<Position> = {}): Position => ({
  ...{
    balance_usdc: '120.000000',
    approved_usdc: '100.000000',
    limit_usdc: '100.000000',
    collectable_usdc: '100.000000',
  },
  ...{
    available_usdc: '90.000000',
    held_usdc: '2.000000',
    unsettled_usdc: '8.000000',
    spendable_usdc: '90.000000',
  },
  ...{
    wallet: `0x${'0'.repeat(40)}`,
    confirmed_limit_usdc: '100.000000',
    credited_usdc: '0.000000',
    settled_usdc: '0.000000',
  },
  ...{ charged_usdc: '8.000000', open_requests: 1, stopped: null },
  ...values,
});

const amounts = (values?: Partial<Position>) =>
  Object.fromEntries(partsOf(position(values)).map(({ id, amount }) => [id, amount]));

describe('approvalWords', () => {
  it.each([
    [null, '0.00'],
    ['1234.500000', '1,234.50'],
    // Where billing cuts off what the chain shows, as of an approval of 2^256 - 1.
    ['4000000000000.000000', 'an unlimited amount'],
  ])('%s is %s', (approved_usdc, shown) => {
    expect(approvalWords(position({ approved_usdc }))).toBe(shown);
  });
});

describe('partsOf', () => {
  it('cuts the wallet into what may be spent, is held, is owed and was not approved', () => {
    expect(amounts()).toEqual({
      spendable: 90_000_000n,
      held: 2_000_000n,
      unsettled: 8_000_000n,
      unapproved: 20_000_000n,
    });
  });

  it('adds up to the wallet’s balance, and to the whole picture', () => {
    const parts = partsOf(position());
    expect(parts.reduce((sum, { amount }) => sum + amount, 0n)).toBe(120_000_000n);
    expect(parts.reduce((sum, { percent }) => sum + percent, 0)).toBeCloseTo(100, 1);
  });

  it('sets apart what is available but waits for the next settlement', () => {
    expect(amounts({ available_usdc: '50.000000', spendable_usdc: '45.000000' })).toMatchObject({
      spendable: 45_000_000n,
      waiting: 5_000_000n,
    });
  });

  it('has nothing wait for a settlement that no settlement would free', () => {
    expect(amounts({ spendable_usdc: '40.000000' })).toMatchObject({
      ...{ spendable: 40_000_000n, waiting: 8_000_000n, capped: 42_000_000n },
    });
    const unspent = { held_usdc: '0.000000', unsettled_usdc: '0.000000', spendable_usdc: '40.000000' };
    expect(amounts(unspent)).not.toHaveProperty('waiting');
  });

  it('calls what a wallet may not spend while it is stopped by that name', () => {
    const stopped = { suspended_at: '2026-11-26T08:00:00Z', collection_failed_at: null };
    const parts = amounts({ spendable_usdc: '0.000000', stopped });
    expect(parts).toMatchObject({ stopped: 90_000_000n, unsettled: 8_000_000n });
    expect(Object.keys(parts)).not.toEqual(expect.arrayContaining(['waiting']));
    expect(Object.keys(parts)).not.toEqual(expect.arrayContaining(['capped']));
  });

  it('shows an approval that the chain still confirms', () => {
    const fresh = { collectable_usdc: '0.000000', available_usdc: '0.000000', spendable_usdc: '0.000000' };
    expect(amounts({ ...fresh, held_usdc: '0.000000', unsettled_usdc: '0.000000' })).toEqual({
      confirming: 100_000_000n,
      unapproved: 20_000_000n,
    });
  });

  it('draws no negative part after an approval was lowered below what is owed, and says what is missing', () => {
    const short = { available_usdc: '-5.000000', spendable_usdc: '0.000000', unsettled_usdc: '13.000000' };
    expect(amounts(short)).not.toHaveProperty('spendable');
    expect(partsOf(position(short)).every(({ amount }) => amount > 0n)).toBe(true);
    expect(shortageOf(position(short))).toBe(5_000_000n);
    expect(shortageOf(position())).toBe(0n);
  });

  it('has no part where nothing is, or nothing was read yet', () => {
    const none = {
      limit_usdc: '0.000000',
      collectable_usdc: '0.000000',
      available_usdc: '0.000000',
      spendable_usdc: '0.000000',
    };
    expect(
      partsOf(position({ ...none, balance_usdc: null, held_usdc: '0.000000', unsettled_usdc: '0.000000' })),
    ).toEqual([]);
  });
});

describe('limitedBy', () => {
  it('names the lesser of balance and approval', () => {
    expect(limitedBy(position())).toBe('approval');
    expect(limitedBy(position({ approved_usdc: '500.000000' }))).toBe('balance');
    expect(limitedBy(position({ approved_usdc: '120.000000' }))).toBeUndefined();
    expect(limitedBy(position({ balance_usdc: null }))).toBeUndefined();
  });

  it('blames neither where more of both would change nothing', () => {
    const capped = { spendable_usdc: '40.000000', approved_usdc: '500.000000' };
    expect(limitedBy(position(capped))).toBe('cap');
    expect(limitedBy(position({ ...capped, spendable_usdc: '85.000000' }))).toBe('balance');
  });
});
