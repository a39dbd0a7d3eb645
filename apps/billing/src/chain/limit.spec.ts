import { limitsOf } from './limit';

const wallet = `0x${'a'.repeat(40)}`;
const reading = (balance: bigint, allowance: bigint, pulled: bigint) => ({
  wallet,
  balance,
  allowance,
  pulled,
});

describe('limitsOf', () => {
  it('takes the smaller of balance and allowance, at each depth', () => {
    expect(limitsOf([reading(10n, 7n, 2n)], [reading(5n, 9n, 1n)])).toEqual([
      { wallet, limitHead: 7n, settledHead: 2n, limitSafe: 5n, settledSafe: 1n },
    ]);
  });

  it('leaves open what an unreadable safe depth shows', () => {
    expect(limitsOf([reading(10n, 7n, 2n)], undefined)).toEqual([
      { wallet, limitHead: 7n, settledHead: 2n, limitSafe: undefined, settledSafe: undefined },
    ]);
  });
});
