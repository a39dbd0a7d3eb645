import { Draw } from './draw';
import { plainText } from './plain-text.probe';
import { AT_HAND, replied } from './observation.for-spec';
import type { Probe, Question } from './probe';
import { drawWords } from './questions';
import { streamText } from './stream-text.probe';
import { toolFunction, toolRequired } from './tool-choice.probes';
import { usageHonesty } from './usage-honesty.probe';

async function questionsOf(probe: Probe, seed: string): Promise<string> {
  const asked: Question[] = [];
  await probe.run({
    ...AT_HAND,
    draw: new Draw(seed),
    ask(question) {
      asked.push(question);
      return Promise.resolve(replied());
    },
  });
  return JSON.stringify(asked);
}

describe('what questions are drawn from', () => {
  it.each([plainText, streamText, usageHonesty, toolRequired, toolFunction])(
    'is another in every run, and the same in one: $name',
    async (probe) => {
      const seeds = Array.from({ length: 8 }, (_, index) => `run-${index}`);
      const asked = await Promise.all(seeds.map((seed) => questionsOf(probe, seed)));
      expect(new Set(asked).size).toBeGreaterThan(5);
      expect(await questionsOf(probe, 'run-0')).toBe(asked[0]);
    },
  );

  it('gives words of which none comes twice before all have come', () => {
    const words = drawWords(new Draw('a'), 48);
    expect(new Set(words).size).toBe(48);
    expect(drawWords(new Draw('a'), 160)).toHaveLength(160);
    expect(new Draw('a').of([1, 2], 5).sort()).toEqual([1, 2]);
  });
});
