import { IsPlainText, IsShortText } from './fields';
import { validateSync } from 'class-validator';

class Text {
  @IsPlainText()
  line!: string;

  @IsShortText(10)
  short!: string;
}

/** Which of the two rules take it. */
function taken(text: string): string[] {
  const refused = validateSync(Object.assign(new Text(), { line: text, short: text }));
  return ['line', 'short'].filter((field) => !refused.some(({ property }) => property === field));
}

describe('one line of text', () => {
  it.each(['', 'laptop', 'کتاب\u200cها', '👩\u200d👩\u200d👧', '❤\ufe0f\u200d🔥', 'क\u094d\u200dष'])(
    'takes %j',
    (text) => {
      expect(taken(text)).toEqual(['line', 'short']);
    },
  );

  it.each([
    ...[
      '\u200c',
      '\u200d',
      '\u200da',
      'a\u200d',
      'a\u200c b',
      'a \u200cb',
      'a\u200c\u200cb',
      'a\u200d\u200cb',
      'a\u200db',
      'é\u200cb',
      'я\u200dя',
      'ا\u200da',
    ],
    ...[
      '\u200b',
      'a\u200bb',
      'a\u202eb',
      'a\u2066b',
      'a\ufeffb',
      'a\u0000b',
      'a\nb',
      'a\u200d\nb',
      '\ud83d\u200da',
    ],
  ])('refuses %j', (text) => {
    expect(taken(text)).toEqual([]);
  });

  it('counts a joiner as a character', () => {
    expect(taken('ککککک\u200cکککک')).toEqual(['line', 'short']);
    expect(taken('ککککک\u200cککککک')).toEqual(['line']);
  });

  it('reads a long one at once', () => {
    expect(taken(`${'ک\u200d'.repeat(50_000)}\n`)).toEqual([]);
  });
});
