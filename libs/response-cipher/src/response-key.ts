import { createHash } from 'node:crypto';
import { ValidateBy } from 'class-validator';

/** Either is 32 bytes. */
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** A key with the byte that says so in what was encrypted under it. */
export interface ResponseKey {
  readonly id: number;
  readonly bytes: Buffer;
}

/**
 * @param text 32 bytes in hexadecimal or base64
 * @returns undefined for anything else
 */
export function parseResponseKey(text: string): ResponseKey | undefined {
  if (!HEX.test(text) && !BASE64.test(text)) return undefined;
  const bytes = Buffer.from(text, HEX.test(text) ? 'hex' : 'base64');
  const [id = 0] = createHash('sha256').update('svc response key id').update(bytes).digest();
  return { id, bytes };
}

/** The setting is a key for `ResponseCipher`: 32 bytes in hexadecimal or base64. */
export function IsResponseKey(): PropertyDecorator {
  return ValidateBy({
    name: 'isResponseKey',
    validator: {
      validate: (value) => typeof value === 'string' && parseResponseKey(value) !== undefined,
      defaultMessage: () => 'must be 32 bytes in hexadecimal or base64',
    },
  });
}
