import { bumpedFees, feesFor } from './fees';

describe('feesFor', () => {
  it('leaves room for the base fee to double, up to the cap', () => {
    expect(feesFor(10n, 2n, 100n)).toEqual({ maxFeePerGas: 22n, maxPriorityFeePerGas: 2n });
    expect(feesFor(60n, 2n, 100n)).toEqual({ maxFeePerGas: 100n, maxPriorityFeePerGas: 2n });
    expect(feesFor(0n, 2n, 100n)).toEqual({ maxFeePerGas: 2n, maxPriorityFeePerGas: 2n });
  });

  it('has none when the base fee has reached the cap', () => {
    expect(feesFor(100n, 2n, 100n)).toBeUndefined();
  });
});

describe('bumpedFees', () => {
  const previous = { maxFeePerGas: 40n, maxPriorityFeePerGas: 1n };

  it('raises both by a quarter at least, rounded up', () => {
    expect(bumpedFees(previous, undefined, 1000n)).toEqual({ maxFeePerGas: 50n, maxPriorityFeePerGas: 2n });
  });

  it('goes at once to what is usual by now', () => {
    const current = { maxFeePerGas: 90n, maxPriorityFeePerGas: 3n };
    expect(bumpedFees(previous, current, 1000n)).toEqual(current);
  });

  it('goes up to the cap where a quarter more would pass it, as long as that replaces', () => {
    expect(bumpedFees(previous, undefined, 49n)).toEqual({ maxFeePerGas: 49n, maxPriorityFeePerGas: 2n });
    expect(bumpedFees(previous, undefined, 44n)).toEqual({ maxFeePerGas: 44n, maxPriorityFeePerGas: 2n });
    expect(bumpedFees(previous, { maxFeePerGas: 90n, maxPriorityFeePerGas: 3n }, 45n)).toEqual({
      maxFeePerGas: 45n,
      maxPriorityFeePerGas: 3n,
    });
  });

  it('gives up where the cap leaves less than a tenth', () => {
    expect(bumpedFees(previous, undefined, 43n)).toBeUndefined();
    expect(bumpedFees({ maxFeePerGas: 40n, maxPriorityFeePerGas: 40n }, undefined, 43n)).toBeUndefined();
  });
});
