import { FreshAnswers } from './fresh-answers';

function answersWith(most = 10) {
  const clock = { ms: 0, nowMs: () => clock.ms };
  return { clock, answers: new FreshAnswers<number>(clock, 3_000, most) };
}

describe('FreshAnswers', () => {
  it('asks once for all who come within the time, also while the answer is on its way', async () => {
    const { clock, answers } = answersWith();
    let asked = 0;
    const ask = () => Promise.resolve(++asked);
    expect(await Promise.all([answers.get('a', ask), answers.get('a', ask)])).toEqual([1, 1]);
    clock.ms = 2_999;
    expect(await answers.get('a', ask)).toBe(1);
    clock.ms = 3_000;
    expect(await answers.get('a', ask)).toBe(2);
    expect(await answers.get('b', ask)).toBe(3);
  });

  it('asks again after a failure', async () => {
    const { answers } = answersWith();
    await expect(answers.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await answers.get('a', () => Promise.resolve(7))).toBe(7);
  });

  it('keeps what came since, when a question fails that was asked before', async () => {
    const { clock, answers } = answersWith();
    let fail: (reason: Error) => void = () => undefined;
    const slow = answers.get('a', () => new Promise((_resolve, reject) => (fail = reject)));
    clock.ms = 3_000;
    expect(await answers.get('a', () => Promise.resolve(7))).toBe(7);
    fail(new Error('away'));
    await expect(slow).rejects.toThrow('away');
    expect(await answers.get('a', () => Promise.resolve(8))).toBe(7);
  });

  it('keeps no more than it may', async () => {
    const { answers } = answersWith(2);
    let asked = 0;
    const ask = () => Promise.resolve(++asked);
    for (const question of ['a', 'b', 'c']) await answers.get(question, ask);
    expect([await answers.get('c', ask), await answers.get('b', ask), await answers.get('a', ask)]).toEqual([
      3, 2, 4,
    ]);
  });
});
