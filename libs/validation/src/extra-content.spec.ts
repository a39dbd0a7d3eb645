import { extraContentProblem } from './extra-content';

describe('extraContentProblem', () => {
  const nested = (levels: number): object =>
    JSON.parse(`${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`) as object;
  const numbers = (count: number) => ({ a: Array.from({ length: count }, () => 0) });

  it.each<[string, object]>([
    ['nothing', {}],
    ['a signature', { google: { thought_signature: 'x'.repeat(100_000) } }],
    ['64 levels', nested(64)],
    ['a thousand numbers', numbers(1_000)],
  ])('has nothing against %s', (_, value) => {
    expect(extraContentProblem(value)).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['65 levels', nested(65), 'must not nest deeper than 64 levels'],
    ['very many levels', nested(5_000), 'must not nest deeper than 64 levels'],
    ['1,024 numbers', numbers(1_024), 'must not hold more than 1024 JSON values and names of fields'],
  ])('refuses %s', (_, value, problem) => {
    expect(extraContentProblem(value)).toBe(problem);
  });
});
