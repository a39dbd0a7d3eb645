import { IsBaseUnits, IsId, IsPlainText, IsShortText, IsSignature, IsWallet } from './fields';
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

class Act {
  @IsBaseUnits()
  amount!: string;

  @IsId()
  id!: string;

  @IsSignature()
  signature!: string;

  @IsWallet()
  wallet!: string;
}

it('says of a field what would do', () => {
  const problems = validateSync(
    Object.assign(new Act(), { amount: '-1', id: '', signature: '', wallet: 'x' }),
  );
  const words = problems.map(({ property, constraints }) => [property, ...Object.values(constraints ?? {})]);
  expect(words).toEqual([
    ['amount', 'must be base units (10^-6 USDC) as a string of digits, at most 9223372036854775807'],
    ['id', 'must be an id: 1 to 80 letters, digits, _ and -'],
    ['signature', 'must be a signature in hex: 0x and up to 2048 bytes'],
    ['wallet', 'must be an EVM address in lower case: 0x and 40 hex digits'],
  ]);
});
