import { arrayLiteral } from './array-literal';

describe('arrayLiteral', () => {
  it.each<[string, (string | number | null)[], string]>([
    ['nothing', [], '{}'],
    ['numbers and nulls', [1, null, -2], '{1,NULL,-2}'],
    [
      'text, also such as would mean something',
      ['a', '', 'NULL', 'a,b}', ' c '],
      '{"a","","NULL","a,b}"," c "}',
    ],
    ['quotes and backslashes', ['"', '\\', '{"a":"\\n"}'], String.raw`{"\"","\\","{\"a\":\"\\n\"}"}`],
  ])('writes %s', (_, elements, literal) => {
    expect(arrayLiteral(elements)).toBe(literal);
  });
});
