import { costSteps, grouped, shareOf } from './cost';

describe('the arithmetic of a charge', () => {
  it.each([
    [10, 20, '150000', '600000', { input: 1_500_000n, output: 12_000_000n, sum: 13_500_000n, result: 14n }],
    [0, 0, '150000', '600000', { input: 0n, output: 0n, sum: 0n, result: 0n }],
    [1, 0, '1', '1', { input: 1n, output: 0n, sum: 1n, result: 1n }],
    [1_000_000, 0, '7', '1', { input: 7_000_000n, output: 0n, sum: 7_000_000n, result: 7n }],
    // Beyond what a number holds exactly.
    [
      999_999_999,
      1,
      '9007199254740993',
      '1',
      expect.objectContaining({ result: 9007199245733793746n }) as never,
    ],
  ])(
    '%i in, %i out at %s and %s',
    (prompt_tokens, completion_tokens, input_price_per_mtok, output_price_per_mtok, steps) => {
      expect(
        costSteps({ prompt_tokens, completion_tokens, input_price_per_mtok, output_price_per_mtok }),
      ).toEqual(steps);
    },
  );

  it('shows shares of what was held', () => {
    expect(shareOf('0.000014', '0.000100')).toBe(14);
    expect(shareOf('0.000000', '0.000000')).toBe(0);
    expect(shareOf('1.500000', '1.500000')).toBe(100);
  });

  it('parts thousands', () => {
    expect([grouped(1), grouped(1234), grouped(1_234_567n), grouped('999')]).toEqual([
      '1',
      '1,234',
      '1,234,567',
      '999',
    ]);
  });
});
