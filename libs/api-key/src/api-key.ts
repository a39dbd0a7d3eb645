import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** How many characters `SECRET_BYTES` have in base 62. */
const SECRET_LENGTH = 43;
/** How many characters a CRC-32 has in base 62. */
const CHECKSUM_LENGTH = 6;
const BODY_PATTERN = new RegExp(`^[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

function toBase62(value: bigint, length: number): string {
  let rest = value;
  let digits = '';
  while (digits.length < length) {
    digits = BASE62.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}

function checksumOf(prefixAndSecret: string): string {
  let rest = crc32(prefixAndSecret);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/**
 * A new API key: prefix, 43 base-62 characters (256 random bits), and a 6-character checksum.
 * @param prefix the environment's key prefix, e.g. `svc_test_`
 */
export function generateApiKey(prefix: string): string {
  return apiKeyOf(prefix, randomBytes(SECRET_BYTES));
}

/** What is hashed begins with this and never with a key: what is stored of keys tells nothing of those that are derived. */
const DERIVATION = 'svc-derived-api-key';

/**
 * The API key that one request for a key makes, in the form of {@link generateApiKey}: a repeat of the request gets the same one, though
 * nobody keeps it. Whoever has not the pepper can tell nothing of it.
 * @param request all that tells this request from any other; something random of the client's is part of it
 */
export function deriveApiKey(prefix: string, pepper: string, request: readonly string[]): string {
  const words = JSON.stringify([DERIVATION, prefix, ...request]);
  return apiKeyOf(prefix, createHmac('sha256', pepper).update(words).digest());
}

function apiKeyOf(prefix: string, bytes: Buffer): string {
  const secret = toBase62(BigInt(`0x${bytes.toString('hex')}`), SECRET_LENGTH);
  return prefix + secret + checksumOf(prefix + secret);
}

/** Whether `key` has this environment's prefix, the right shape and a checksum that fits: no look-up needed. */
export function isWellFormedApiKey(key: string, prefix: string): boolean {
  if (!key.startsWith(prefix)) return false;
  const body = key.slice(prefix.length);
  if (!BODY_PATTERN.test(body)) return false;
  return checksumOf(key.slice(0, -CHECKSUM_LENGTH)) === body.slice(SECRET_LENGTH);
}

/**
 * What is stored of a key: HMAC-SHA-256 under a secret pepper, 64 hex digits. With 256 random bits in the key
 * a slow hash would add nothing.
 */
export function hashApiKey(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/** The last four characters, shown so that people can tell their keys apart. */
export function lastFourOf(key: string): string {
  return key.slice(-4);
}
