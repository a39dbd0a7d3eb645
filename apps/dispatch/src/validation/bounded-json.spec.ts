import { parseBounded } from './bounded-json';
import { fastestMs } from './fastest.for-spec';
import { InvalidReplyError } from './invalid-reply.error';

function verdict(text: string): unknown {
  try {
    return typeof parseBounded(text);
  } catch (error) {
    return InvalidReplyError.is(error) ? error.reason : 'syntax';
  }
}

describe('parseBounded', () => {
  const marks = '\\"{[,]}\\\\'.repeat(300_000);

  it.each([
    ['a long text', JSON.stringify({ content: 'x'.repeat(3_000_000) })],
    ['a text full of what separates values', `{"a":"${marks}","b":"\\\\","c":["${marks}"]}`],
    ['sixty thousand values', `[${'0,'.repeat(60_000)}0]`],
    ['thirty thousand fields', `{${'"a":0,'.repeat(30_000)}"a":0}`],
    ['two hundred levels', `${'{"a":'.repeat(200)}"${'x'.repeat(5_000)}"${'}'.repeat(200)}`],
    ['a short one', '{"a":1}'],
  ])('reads %s', (_, text) => {
    expect(verdict(text)).toBe('object');
  });

  it.each([
    ['many numbers', `[${'0,'.repeat(70_000)}0]`],
    ['many fields', `{${'"a":0,'.repeat(35_000)}"a":0}`],
    ['many objects', `[${'{},'.repeat(2_800_000)}0]`],
    ['deep arrays', '['.repeat(4_000_000)],
    ['deep objects', '{"a":'.repeat(10_000)],
    ['many values after a text', `{"a":"${marks}","b":[${'0,'.repeat(70_000)}0]}`],
  ])('refuses %s, before they cost anything', async (_, text) => {
    expect(await fastestMs(() => expect(verdict(text)).toBe('too_complex'))).toBeLessThan(250);
  });

  it.each(['', '{', `"${'x'.repeat(10_000)}`, `"${'\\'.repeat(10_001)}"`])(
    'leaves the rest to JSON',
    (text) => {
      expect(verdict(text)).toBe('syntax');
    },
  );
});
