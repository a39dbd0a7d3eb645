import { UnseenText, unseenBytes } from './unseen-text';

describe('what nobody sees of a text', () => {
  it.each([
    ['zero-width spaces, joiners and marks', 'a\u200b\u200c\u200d\u200e\u2060\ufeffb', 18],
    ['soft hyphens and variation selectors', 'a\u00ad\ufe0f', 5],
    ['tags, which take two units', 'a\u{e0041}\u{e0042}b', 8],
    ['a filler of Hangul', '\u3164'.repeat(3), 9],
    ['blanks of a run, beyond what means something', `a${' '.repeat(40)}b${'\n'.repeat(17)}`, 25],
    ['a run of blanks with nothing between them', ' \u200b'.repeat(20), 4 + 60],
    ['blanks that are no ASCII', '\u3000'.repeat(18) + '\u2800'.repeat(2), 12],
  ])('is %s', (_, text, bytes) => {
    expect(unseenBytes(text)).toBe(bytes);
    const pieces = new UnseenText();
    for (const character of text) pieces.take(character);
    expect(pieces.bytes).toBe(bytes);
  });

  it.each([
    ['words', 'Some words, "quoted",\n\nand\tmore.'],
    ['an indentation', `if (x) {\n${' '.repeat(15)}return;\n${' '.repeat(15)}}`],
    ['Greek, Russian, Hebrew, Arabic, Hindi', 'Αθήνα Москва ירושלים القاهرة दिल्ली'],
    ['Chinese, Japanese, Korean', '北京　東京 서울'],
    ['emoji', '😀👍🏽🇫🇷'],
  ])('is nothing of %s', (_, text) => {
    expect(unseenBytes(text)).toBe(0);
  });

  it('leaves of joined characters more bytes than they have tokens', () => {
    for (const text of ['👩‍👩‍👧‍👦', '❤️', 'می‌خواهم']) {
      expect(Buffer.byteLength(text) - unseenBytes(text)).toBeGreaterThan([...text].length / 2);
    }
  });

  it('is nothing where there is no text', () => {
    expect(unseenBytes(undefined)).toBe(0);
  });
});
