import { replyRulesOf } from './reply-rules';
import { unseenCallBytes } from './unseen-calls';
import { UnseenText, unseenBytes } from './unseen-text';

describe('what nobody sees of a text', () => {
  it.each([
    [
      'zero-width spaces, joiners and marks',
      'a\u200b\u200c\u200d\u200e\u2060\ufeff\u034f\u061cb',
      18 + 2 + 2,
    ],
    ['soft hyphens and variation selectors', 'a\u00ad\ufe0f', 5],
    ['tags, which take two units', 'a\u{e0041}\u{e0042}b', 8],
    ['controls', 'a\u007f\u0080\u009f\ufff9\u{1d159}b', 1 + 2 + 2 + 3 + 4],
    ['a run of blanks with controls between them', ' \u007f'.repeat(20), 4 + 20],
    ['a filler of Hangul', '\u3164'.repeat(3), 9],
    ['blanks of a run, beyond what means something', `a${' '.repeat(40)}b${'\n'.repeat(17)}`, 25],
    ['a run of blanks with nothing between them', ' \u200b'.repeat(20), 4 + 60],
    ['a run of blanks with tags between them', ' \u{e0041}'.repeat(20), 4 + 80],
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
    ['many words of Hindi', 'हिन्दी '.repeat(20)],
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

describe('what nobody sees of a call', () => {
  const rules = replyRulesOf({});
  const callOf = (args: string) => ({ id: '', name: 'write', arguments: args, pieces: 1 });

  it('is blanks between the values of its arguments', () => {
    const blanks = ' '.repeat(40);
    for (const args of [`{"a":${blanks}1}`, `{"a":"\\"${blanks}",${blanks}"b":1}`, `{"a":"b"${blanks}`])
      expect(unseenCallBytes([callOf(args)], rules)).toBe(40 - 16);
  });

  it('is nothing of the texts that it has for arguments', () => {
    const code = `if (x) {\n${' '.repeat(40)}return "}";\n}`;
    const whole = JSON.stringify({ path: 'a.ts', code });
    for (const args of [whole, whole.slice(0, 60)]) expect(unseenCallBytes([callOf(args)], rules)).toBe(0);
    // Nor do they join the blanks before and behind them to a run.
    const wide = `{${' '.repeat(10)}"a"${' '.repeat(10)}:1}`;
    expect(unseenCallBytes([callOf(wide)], rules)).toBe(0);
  });

  it('is nothing of characters without a shape in those texts, escaped or not', () => {
    for (const character of ['\u200b', '\\u200b']) {
      const args = `{"a":"${character.repeat(50)}"}`;
      expect(unseenCallBytes([callOf(args)], rules)).toBe(0);
      expect(JSON.parse(args)).toEqual({ a: '\u200b'.repeat(50) });
    }
  });
});
