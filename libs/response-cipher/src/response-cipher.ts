import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { MAX_RESPONSE_PARTS, RESPONSE_PART_BYTES } from '@svc/contracts';
import { parseResponseKey } from './response-key';
import type { ResponseKey } from './response-key';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;
/** What a part holds of the reply itself. */
const CONTENT_BYTES = RESPONSE_PART_BYTES - HEAD_BYTES - TAG_BYTES;

/** The one request whose reply it is: nobody else's decrypts under the same name. */
interface ResponseOwner {
  wallet: string;
  holdId: string;
}

/** Thrown when parts are not what was encrypted for this owner, or under a key that is not known. */
export class UnreadableResponseError extends Error {
  constructor() {
    super('the stored response cannot be read');
    this.name = 'UnreadableResponseError';
  }
}

/**
 * Encrypts replies of idempotent requests for their time in the database, which does not have the key. AES-256-GCM
 * (NIST SP 800-38D) with a random nonce for each part:
 *
 *     byte 0       key id, so that keys can be replaced
 *     bytes 1-12   nonce
 *     bytes 13-    ciphertext, then 16 bytes of tag
 *
 * The tag also covers wallet, hold, the part's number and how many there are: a part moved elsewhere, or left out, is noticed.
 */
export class ResponseCipher {
  /** The largest reply that can be stored, bytes. */
  static readonly MAX_BYTES = MAX_RESPONSE_PARTS * CONTENT_BYTES;
  private readonly key: ResponseKey;
  private readonly readable: readonly ResponseKey[];

  /**
   * @param key encrypts, and decrypts; 32 bytes in hexadecimal or base64
   * @param previousKey decrypts what was stored before the key was replaced
   * @throws RangeError for keys of another form
   */
  constructor(key: string, previousKey?: string) {
    this.key = read(key);
    this.readable = previousKey === undefined ? [this.key] : [this.key, read(previousKey)];
  }

  /**
   * @returns the parts, at least one, each of `RESPONSE_PART_BYTES` at most
   * @throws RangeError beyond `MAX_BYTES`
   */
  seal(owner: ResponseOwner, reply: Buffer): Buffer[] {
    if (reply.length > ResponseCipher.MAX_BYTES) throw new RangeError('the reply is too large to be stored');
    const count = Math.max(1, Math.ceil(reply.length / CONTENT_BYTES));
    return Array.from({ length: count }, (_, part) => {
      const content = reply.subarray(part * CONTENT_BYTES, (part + 1) * CONTENT_BYTES);
      return this.sealPart(content, context(owner, part, count));
    });
  }

  /** @throws UnreadableResponseError */
  open(owner: ResponseOwner, parts: readonly Buffer[]): Buffer {
    return Buffer.concat(
      parts.map((sealed, part) => this.openPart(sealed, context(owner, part, parts.length))),
    );
  }

  private sealPart(content: Buffer, context: Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key.bytes, nonce).setAAD(context);
    const head = Buffer.concat([Buffer.of(this.key.id), nonce]);
    return Buffer.concat([head, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  }

  private openPart(sealed: Buffer, context: Buffer): Buffer {
    if (sealed.length < HEAD_BYTES + TAG_BYTES) throw new UnreadableResponseError();
    const tagAt = sealed.length - TAG_BYTES;
    // Two keys may have the same id.
    for (const { id, bytes } of this.readable) {
      if (id !== sealed[0]) continue;
      const decipher = createDecipheriv(ALGORITHM, bytes, sealed.subarray(1, HEAD_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(context).setAuthTag(sealed.subarray(tagAt));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, tagAt)), decipher.final()]);
      } catch {
        // Another key's, or not what was stored.
      }
    }
    throw new UnreadableResponseError();
  }
}

function read(text: string): ResponseKey {
  const key = parseResponseKey(text);
  if (!key) throw new RangeError('a response key has 32 bytes');
  return key;
}

function context({ wallet, holdId }: ResponseOwner, part: number, count: number): Buffer {
  return Buffer.from(`${wallet}\n${holdId}\n${part}\n${count}`);
}
