import { MAX_BASE_UNITS, isBaseUnits } from '@svc/money';
import { ValidateBy, Matches } from 'class-validator';

/** The field is an amount in base units (10^-6 USDC) as a decimal string: no sign, fraction or exponent, within BIGINT. */
export function IsBaseUnits(): PropertyDecorator {
  return ValidateBy({
    name: 'isBaseUnits',
    validator: {
      validate: isBaseUnits,
      defaultMessage: () =>
        `must be base units (10^-6 USDC) as a string of digits, at most ${MAX_BASE_UNITS}`,
    },
  });
}

/** The field is an EVM address in lower case: the form in which addresses are stored and compared. */
export function IsWallet(): PropertyDecorator {
  return Matches(/^0x[0-9a-f]{40}$/, {
    message: 'must be an EVM address in lower case: 0x and 40 hex digits',
  });
}

/** The field is the HMAC of an API key: 64 hex digits. */
export function IsKeyHash(): PropertyDecorator {
  return IsDigest();
}

/** The field is a SHA-256 or an HMAC with it: 64 hex digits. */
export function IsDigest(): PropertyDecorator {
  return Matches(/^[0-9a-f]{64}$/, { message: 'must be 64 hex digits' });
}

/** The field is one of our ids, e.g. `req_…`: letters, digits, `_` and `-`, at most 80. */
export function IsId(): PropertyDecorator {
  return Matches(/^[A-Za-z0-9_-]{1,80}$/, { message: 'must be an id: 1 to 80 letters, digits, _ and -' });
}

/** The field is a signature in hex: 65 bytes of an account's key, or whatever a contract wallet takes (EIP-1271). */
export function IsSignature(): PropertyDecorator {
  return Matches(/^0x(?:[0-9a-fA-F]{2}){1,2048}$/, {
    message: 'must be a signature in hex: 0x and up to 2048 bytes',
  });
}

/** What joiners may stand between. Among the letters of words that are not joined, nobody would see them. */
const JOINED = String.raw`[^\p{C}\p{Z}\p{ASCII}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}]`;

/**
 * A character of one line of text, as a pattern with the flag `u`: none that controls or that nobody sees, but the two joiners where they
 * join. Persian is written with the one (U+200C), emoji are put together with the other (U+200D).
 */
const PLAIN = String.raw`(?:[^\p{C}]|(?<=${JOINED})[\u200c\u200d](?=${JOINED}))`;

/**
 * The field is one line of text: no control characters, half surrogates or other characters that nobody sees; joiners where they join.
 * @param reserved a word that it may not be
 */
export function IsPlainText({ reserved }: { reserved?: string } = {}): PropertyDecorator {
  const isOther = reserved === undefined ? '' : `(?!${reserved}$)`;
  const orReserved = reserved === undefined ? '' : `, nor be ${reserved} itself`;
  return Matches(new RegExp(`^${isOther}${PLAIN}*$`, 'u'), {
    message: `must not hold control or invisible characters${orReserved}`,
  });
}

/** The same, of at most so many characters; each counts, where `MaxLength` passes over those that change how another looks. */
export function IsShortText(most: number): PropertyDecorator {
  return Matches(new RegExp(`^${PLAIN}{0,${most}}$`, 'u'), {
    message: `must be at most ${most} characters, and no control or invisible ones`,
  });
}

/** The field is a model id, `svc/<name>@<version>` (spec section 2.1). */
export function IsModelId({ each = false } = {}): PropertyDecorator {
  return Matches(MODEL_ID_PATTERN, { each, message: 'must be a model id of the form svc/<name>@<version>' });
}

const MODEL_ID_PATTERN = /^svc\/[a-z0-9][a-z0-9._-]{0,62}@[a-z0-9][a-z0-9._-]{0,31}$/;
