import { wholeNumberWords } from '@svc/validation';
import { ValidateBy } from 'class-validator';

/** At most fifteen digits, so that it is exact as a number. */
const WHOLE_NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;

/** The field is a whole number as it stands in a URL: digits, no sign, no leading zeros. */
export function IsWholeNumberText(least: number, most: number): PropertyDecorator {
  return ValidateBy({
    name: 'isWholeNumberText',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        WHOLE_NUMBER.test(value) &&
        Number(value) >= least &&
        Number(value) <= most,
      defaultMessage: () => wholeNumberWords(least, most),
    },
  });
}
