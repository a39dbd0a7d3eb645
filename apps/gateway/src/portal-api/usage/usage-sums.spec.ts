import { NO_USAGE, figuresOf, isAnything, without } from './usage-sums';

const sums = {
  ...{ requests: 5, unserved: 2, errors: 1, promptTokens: 50, completionTokens: 70, charged: '900' },
  ...{ timed: 4, firstTokenMs: 401, totalMs: 4_000 },
};

describe('sums of usage', () => {
  it('show means where something was timed', () => {
    expect(figuresOf(sums)).toEqual({
      ...{ requests: 5, errors: 1, prompt_tokens: 50, completion_tokens: 70, charged_usdc: '0.000900' },
      ...{ first_token_ms: 100, total_ms: 1_000 },
    });
    expect(figuresOf(NO_USAGE)).toMatchObject({
      charged_usdc: '0.000000',
      first_token_ms: null,
      total_ms: null,
    });
  });

  it('leave the rest, never less than nothing', () => {
    expect(without(sums, [])).toEqual(sums);
    expect(without(sums, [{ ...sums, requests: 3, charged: '899' }])).toEqual({
      ...NO_USAGE,
      requests: 2,
      charged: '1',
    });
    expect(without(sums, [sums, sums])).toEqual(NO_USAGE);
  });

  it('beyond what a number holds exactly are exact where they are money', () => {
    const much = { ...NO_USAGE, charged: '9007199254740993001' };
    expect(figuresOf(without(much, [{ ...NO_USAGE, charged: '1' }])).charged_usdc).toBe(
      '9007199254740.993000',
    );
  });

  it('are nothing when nothing happened', () => {
    expect([isAnything(NO_USAGE), isAnything({ ...NO_USAGE, unserved: 1 })]).toEqual([false, true]);
  });
});
