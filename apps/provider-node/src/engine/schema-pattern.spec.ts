import { textMatching } from './schema-pattern';
import { SeededRandom } from './seeded-random';

describe('textMatching', () => {
  it.each([
    '^abc$',
    '^\\d{3}-\\d{4}$',
    '^[A-Za-z_][\\w-]{0,63}$',
    '^(?:red|green|blue)$',
    '^([a-f0-9]{2}:){5}[a-f0-9]{2}$',
    '^\\+?[1-9]\\d*$',
    '^[^a-z\\s]+$',
    '^.{4}$',
    '^\\$\\d+\\.\\d{2}$',
    '^[-.]$',
    '^(a|b(c|d))*e?$',
    'x|y',
    '',
  ])('writes a text for %s', (pattern) => {
    for (let seed = 0; seed < 20; seed++) {
      expect(textMatching(pattern, new SeededRandom(`${seed}`))).toMatch(new RegExp(pattern, 'u'));
    }
  });

  it.each([
    '(?=a)a',
    '(a)\\1',
    '\\bword\\b',
    '\\p{L}',
    'a$b',
    '(',
    '[',
    '[]',
    '*a',
    'a{300}',
    '((((a{200}){200}){200}){200})',
    '('.repeat(200) + ')'.repeat(200),
    'a'.repeat(600),
  ])('gives up on %s', (pattern) => {
    expect(textMatching(pattern, new SeededRandom('1'))).toBeUndefined();
  });
});
