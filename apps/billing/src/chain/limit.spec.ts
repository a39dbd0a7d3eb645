import { limitsOf } from './limit';

const wallet = `0x${'a'.repeat(40)}`;
const means = (balance: bigint, allowance: bigint, pulled: bigint) => ({
  wallet,
  balance,
  allowance,
  pulled,
});

describe('limitsOf', () => {
  it('puts both depths of a wallet together', () => {
    expect(limitsOf([means(10n, 7n, 2n)], [means(5n, 9n, 1n)])).toEqual([
      { wallet, head: means(10n, 7n, 2n), safe: means(5n, 9n, 1n) },
    ]);
  });

  it('leaves open what an unreadable safe depth shows', () => {
    expect(limitsOf([means(10n, 7n, 2n)], undefined)).toEqual([
      { wallet, head: means(10n, 7n, 2n), safe: undefined },
    ]);
  });
});
