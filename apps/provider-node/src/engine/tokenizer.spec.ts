import fc from 'fast-check';
import { countTokens, tokenize } from './tokenizer';

describe('the tokenizer', () => {
  it.each([
    ['', []],
    ['Hello, world!', ['Hello', ',', ' world', '!']],
    ['extraordinary', ['extrao', 'rdinar', 'y']],
    ['a  b', ['a', ' ', ' b']],
    ['one\n\ntwo', ['one', '\n\n', 'two']],
    ['{"a":1}', ['{"', 'a', '":', '1', '}']],
    ['世界和平', ['世界', '和平']],
    ['👍🏽👍', ['👍', '🏽', '👍']],
  ])('cuts %j', (text, tokens) => {
    expect(tokenize(text)).toEqual(tokens);
  });

  it('gives the text back, counts what it cuts, and keeps every token within 6 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const tokens = tokenize(text);
        expect(tokens.join('')).toBe(text);
        expect(countTokens(text)).toBe(tokens.length);
        for (const token of tokens) expect(Buffer.byteLength(token)).toBeLessThanOrEqual(6);
      }),
    );
  });

  it('comes to about 4 characters a token in English prose', () => {
    const prose =
      'It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in ' +
      'want of a wife. However little known the feelings or views of such a man may be on his first entering a ' +
      'neighbourhood, this truth is so well fixed in the minds of the surrounding families.';
    const ratio = prose.length / countTokens(prose);
    expect(ratio).toBeGreaterThan(3.3);
    expect(ratio).toBeLessThan(4.7);
  });
});
