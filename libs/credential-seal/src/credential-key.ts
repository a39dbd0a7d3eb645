import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ValidateBy } from 'class-validator';

/** Raw X25519 keys in base64url, as JWK has them (RFC 8037): 32 bytes, 43 characters. */
const RAW_KEY = /^[A-Za-z0-9_-]{43}$/;
/** The `OneAsymmetricKey` of an X25519 private key up to the key itself (RFC 8410, section 7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** @returns undefined for what is no key */
export function readPublicKey(text: string): KeyObject | undefined {
  if (!RAW_KEY.test(text)) return undefined;
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: text }, format: 'jwk' });
}

/** @returns undefined for what is no key */
export function readPrivateKey(text: string): KeyObject | undefined {
  if (!RAW_KEY.test(text)) return undefined;
  const key = Buffer.concat([PKCS8_HEAD, Buffer.from(text, 'base64url')]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

/** A public key in the form in which it is configured. */
export function rawPublicKey(key: KeyObject): string {
  return key.export({ format: 'jwk' }).x ?? '';
}

/** @throws RangeError for what is no private key */
export function credentialPublicKeyOf(privateKey: string): string {
  const key = readPrivateKey(privateKey);
  if (!key) throw new RangeError('a credential key has 32 bytes in base64url');
  return rawPublicKey(createPublicKey(key));
}

/** A new private key. */
export function generateCredentialKey(): string {
  return generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }).d ?? '';
}

/** The variable holds a private key that opens credentials. */
export function IsCredentialPrivateKey(): PropertyDecorator {
  return isKey('isCredentialPrivateKey', (text) => readPrivateKey(text) !== undefined);
}

/** The variable holds the public key that credentials are sealed for. */
export function IsCredentialPublicKey(): PropertyDecorator {
  return isKey('isCredentialPublicKey', (text) => readPublicKey(text) !== undefined);
}

function isKey(name: string, fits: (text: string) => boolean): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value) => typeof value === 'string' && fits(value),
      defaultMessage: () => 'must be an X25519 key: 32 bytes in base64url',
    },
  });
}
