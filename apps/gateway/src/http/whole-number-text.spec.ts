import { compileValidator } from '@svc/validation';
import { IsWholeNumberText } from './whole-number-text';

class Page {
  @IsWholeNumberText(0, 100)
  offset!: string;

  @IsWholeNumberText(1, 100)
  limit!: string;
}

const validate = compileValidator(Page);

describe('a whole number in a URL', () => {
  it.each([
    ['0', '1'],
    ['100', '100'],
  ])('is taken from its least to its most: %s, %s', (offset, limit) => {
    expect(validate({ offset, limit })).toEqual({ ok: true, value: { offset, limit } });
  });

  it.each(['0', '101', '-1', '1.5', '1e1', '01', ' 1', '', 'ten', '9'.repeat(30), ['1', '2'], 1])(
    'is not %j',
    (limit) => {
      expect(validate({ offset: '0', limit })).toEqual({
        ok: false,
        problem: { path: 'limit', message: 'must be a whole number from 1 to 100' },
      });
    },
  );
});
