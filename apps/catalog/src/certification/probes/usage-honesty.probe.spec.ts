import { TERMS, failing, replied } from './observation.for-spec';
import { commonWords, textOfLength } from './questions';
import { judgeUsage } from './usage-honesty.probe';

const PROSE = commonWords(48);

/** What an honest server claims: so many tokens a word, the template's besides. */
function claims({ perWord = 1.1, prose = 53, factor = 1 } = {}) {
  const usage = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens });
  return {
    few: replied({ content: 'ok', usage: usage(Math.round(40 * perWord * factor) + 25, 2) }),
    many: replied({ content: 'ok', usage: usage(Math.round(160 * perWord * factor) + 25, 2) }),
    prose: replied({ content: PROSE, usage: usage(70, prose) }),
    text: PROSE,
  };
}

describe('usage_honesty', () => {
  it.each([0.9, 1.1, 1.45, 1.9])('believes %d tokens a word', (perWord) => {
    const { passed, figures, message } = judgeUsage(
      claims({ perWord, prose: Math.round(48 * perWord) }),
      TERMS,
    );
    expect([passed, message, figures.tokensPerWord]).toEqual([true, undefined, expect.closeTo(perWord, 1)]);
  });

  it.each([
    [
      claims({ factor: 3 }),
      /^Given a prompt that is 120 common English words longer, it claims 396 prompt tokens more: 3.3 a word/,
    ],
    [claims({ factor: 0.3 }), /it claims 40 prompt tokens more: 0.33 a word/],
    [
      claims({ prose: 53 * 3 }),
      /^It wrote \d+ bytes and claims 159 completion tokens: more than those can be\.$/,
    ],
    // As many as the bytes allow, but twice what the same words were in a prompt.
    [
      claims({ prose: 53 * 2 }),
      /^It wrote 48 common English words and claims 106 completion tokens; by what it claims for .* 85 at most\.$/,
    ],
    [claims({ prose: 3 }), /claims 3 completion tokens: fewer than those can be\.$/],
    [{ ...claims(), many: failing('status_5xx', { status: 503 }) }, /it answered with status 503\.$/],
  ])('does not believe others (%#)', (observations, message) => {
    expect(judgeUsage(observations, TERMS)).toMatchObject({
      passed: false,
      message: expect.stringMatching(message) as string,
    });
  });

  it('compares words with the same words only', () => {
    // It thought aloud before it wrote, or wrote something else.
    const thoughtful = replied({
      content: PROSE,
      outputBytes: 600,
      usage: { promptTokens: 70, completionTokens: 150 },
    });
    expect(judgeUsage({ ...claims(), prose: thoughtful }, TERMS).passed).toBe(true);
    const other = replied({ content: `Sure! ${PROSE}`, usage: { promptTokens: 70, completionTokens: 110 } });
    expect(judgeUsage({ ...claims(), prose: other }, TERMS).passed).toBe(true);
  });

  it('judges a model that thinks by its limit alone', () => {
    const thoughts = claims({ prose: 1_900 });
    expect(judgeUsage(thoughts, TERMS).passed).toBe(false);
    expect(judgeUsage(thoughts, { ...TERMS, reasoning: true }).passed).toBe(true);
    const beyond = claims({ prose: 6_000 });
    expect(judgeUsage(beyond, { ...TERMS, reasoning: true }).passed).toBe(false);
    expect(judgeUsage(claims({ factor: 3 }), { ...TERMS, reasoning: true }).passed).toBe(false);
  });

  it('takes a count of nothing for silence, as of servers that do not count', () => {
    const nothing = { usage: { promptTokens: 0, completionTokens: 0 } };
    const uncounted = replied({ content: 'ok', ...nothing });
    const prose = replied({ content: PROSE, ...nothing });
    expect(judgeUsage({ few: uncounted, many: uncounted, prose, text: PROSE }, TERMS)).toMatchObject({
      passed: true,
      figures: { withoutUsage: 3 },
    });
  });

  it('believes a tokenizer that cuts finely where it claims the same of what it writes', () => {
    const fine = { perWord: 2.9, prose: Math.round(48 * 2.9) };
    expect(judgeUsage(claims(fine), TERMS)).toMatchObject({ passed: true });
    expect(judgeUsage(claims({ ...fine, prose: 53 }), TERMS).message).toMatch(/: 2\.9\d? a word\.$/);
    const other = replied({
      content: `Sure! ${PROSE}`,
      usage: { promptTokens: 200, completionTokens: 48 * 3 + 4 },
    });
    expect(judgeUsage({ ...claims(fine), prose: other }, TERMS).passed).toBe(true);
    expect(judgeUsage(claims({ perWord: 3.2, prose: 154 }), TERMS).passed).toBe(false);
  });

  it('allows for a system prompt that nobody sees, not for any number', () => {
    const hidden = (tokens: number) => {
      const { few, many, ...others } = claims();
      const plus = (observation: typeof few) => {
        const { promptTokens = 0, completionTokens = 0 } = observation.reply?.usage ?? {};
        return replied({ content: 'ok', usage: { promptTokens: promptTokens + tokens, completionTokens } });
      };
      return judgeUsage({ few: plus(few), many: plus(many), ...others }, TERMS);
    };
    expect(hidden(240).passed).toBe(true);
    expect(hidden(900).message).toMatch(
      /^Given a prompt of about 56 common English words, it claims 969 prompt tokens; .* 318 at most/,
    );
  });

  it('takes silence, and says so', () => {
    const silent = { few: replied(), many: replied(), prose: replied({ content: PROSE }), text: PROSE };
    expect(judgeUsage(silent, TERMS)).toEqual({
      passed: true,
      figures: { withoutUsage: 3 },
      message: '3 of 3 replies said nothing of usage: the marketplace counts for itself there.',
    });
    expect(judgeUsage({ ...claims(), few: replied() }, TERMS).passed).toBe(true);
  });
});

describe('the words of prompts', () => {
  it.each([100, 245, 1_013, 65_525])('are a text of exactly %d characters', (length) => {
    const text = textOfLength(length);
    expect([text.length, Buffer.byteLength(text), text.trim().length]).toEqual([length, length, length]);
  });
});
