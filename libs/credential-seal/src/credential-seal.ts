import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { rawPublicKey, readPrivateKey, readPublicKey } from './credential-key';

const ALGORITHM = 'aes-256-gcm';
const FORM = 1;
const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = 32;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + PUBLIC_KEY_BYTES;
const NONCE = Buffer.alloc(12);

/** Whose credential it is and for where: sealed for another it does not open. */
interface CredentialOwner {
  /** The provider's wallet, in lower case. */
  provider: string;
  endpoint: string;
}

/** Thrown when a sealed credential is not this owner's, was changed, or is sealed for a key that is not known. */
export class UnreadableCredentialError extends Error {
  constructor() {
    super('the sealed credential cannot be read');
    this.name = 'UnreadableCredentialError';
  }
}

/**
 * Seals an endpoint's bearer token so that only who has the private key (dispatch) can read it: not the database it rests in, nor
 * any service it passes through. X25519 with a key pair made for this one seal, HKDF-SHA-256 (RFC 5869), AES-256-GCM (NIST SP 800-38D):
 *
 *     byte 0       form, 1
 *     bytes 1-4    key id: the beginning of the public key's SHA-256
 *     bytes 5-36   the seal's own public key
 *     bytes 37-    ciphertext, then 16 bytes of tag
 *
 * The key is used once, so the nonce may be fixed. The tag also covers provider and endpoint. In base64url.
 */
export class CredentialSealer {
  private readonly key: KeyObject;

  /** @throws RangeError for what is no public key */
  constructor(publicKey: string) {
    const key = readPublicKey(publicKey);
    if (!key) throw new RangeError('a credential key has 32 bytes in base64url');
    this.key = key;
  }

  seal(owner: CredentialOwner, credential: string): string {
    const own = generateKeyPairSync('x25519');
    const ownPublic = Buffer.from(rawPublicKey(own.publicKey), 'base64url');
    const head = Buffer.concat([Buffer.of(FORM), keyIdOf(this.key), ownPublic]);
    const shared = diffieHellman({ privateKey: own.privateKey, publicKey: this.key });
    const cipher = createCipheriv(ALGORITHM, secretOf(shared, head), NONCE).setAAD(contextOf(owner));
    const sealed = [head, cipher.update(credential, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64url');
  }
}

interface OpeningKey {
  readonly id: Buffer;
  readonly key: KeyObject;
}

/** Opens what was sealed for its key, or for the one before. */
export class CredentialOpener {
  private readonly keys: readonly OpeningKey[];

  /** @throws RangeError for what is no private key */
  constructor(...privateKeys: readonly string[]) {
    this.keys = privateKeys.map((text) => {
      const key = readPrivateKey(text);
      if (!key) throw new RangeError('a credential key has 32 bytes in base64url');
      return { id: keyIdOf(createPublicKey(key)), key };
    });
  }

  /** Whether it was sealed for a key before the first: nothing is opened. */
  isForFormerKey(sealed: string): boolean {
    const key = this.keyOf(Buffer.from(sealed, 'base64url'));
    return key !== undefined && key !== this.keys[0];
  }

  /** @throws UnreadableCredentialError */
  open(owner: CredentialOwner, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== FORM) throw new UnreadableCredentialError();
    const candidate = this.keyOf(bytes);
    const sealKey = readPublicKey(bytes.subarray(1 + KEY_ID_BYTES, HEAD_BYTES).toString('base64url'));
    if (!candidate || !sealKey) throw new UnreadableCredentialError();
    const tagAt = bytes.length - TAG_BYTES;
    try {
      const shared = diffieHellman({ privateKey: candidate.key, publicKey: sealKey });
      const secret = secretOf(shared, bytes.subarray(0, HEAD_BYTES));
      const decipher = createDecipheriv(ALGORITHM, secret, NONCE, { authTagLength: TAG_BYTES });
      decipher.setAAD(contextOf(owner)).setAuthTag(bytes.subarray(tagAt));
      return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, tagAt)), decipher.final()]).toString(
        'utf8',
      );
    } catch {
      throw new UnreadableCredentialError();
    }
  }

  private keyOf(sealed: Buffer): OpeningKey | undefined {
    const id = sealed.subarray(1, 1 + KEY_ID_BYTES);
    return this.keys.find((key) => key.id.equals(id));
  }
}

function secretOf(shared: Buffer, head: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', shared, head, 'svc endpoint credential', 32));
}

function keyIdOf(publicKey: KeyObject): Buffer {
  const raw = Buffer.from(rawPublicKey(publicKey), 'base64url');
  return createHash('sha256').update(raw).digest().subarray(0, KEY_ID_BYTES);
}

function contextOf({ provider, endpoint }: CredentialOwner): Buffer {
  return Buffer.from(JSON.stringify([provider, endpoint]));
}
