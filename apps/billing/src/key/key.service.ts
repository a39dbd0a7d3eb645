import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CheckedKey, CreateKeyRequest, CreatedKey } from '@svc/contracts';
import { accountSuspended, invalidApiKey, invalidRequest } from '@svc/errors';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { KeyStore } from './key.store';

const NOT_FOUND = 404;
const CONFLICT = 409;
const ID_BYTES = 12;

/** API keys: hashes bound to wallets. */
@Injectable()
export class KeyService {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: KeyStore,
  ) {}

  /**
   * Stores a key made at the gateway. A repeat for the same wallet answers with the key that stands.
   * @throws SvcError invalid_request: unknown wallet (404); the key is another wallet's, or revoked (409)
   */
  async create({ wallet, keyHash, lastFour, name }: CreateKeyRequest): Promise<CreatedKey> {
    const keyId = `key_${randomBytes(ID_BYTES).toString('base64url')}`;
    await this.store.add({ wallet, keyId, keyHash, lastFour, name });
    const standing = await this.store.find(keyHash);
    if (!standing) throw invalidRequest('no such wallet', 'wallet', NOT_FOUND);
    if (standing.wallet !== wallet || standing.revoked) {
      throw invalidRequest('this key is taken', 'keyHash', CONFLICT);
    }
    return { keyId: standing.keyId };
  }

  /** @throws SvcError invalid_request (404) for an unknown key */
  async revoke(wallet: string, keyId: string): Promise<CreatedKey> {
    if (!(await this.store.revoke(wallet, keyId))) throw invalidRequest('no such key', 'keyId', NOT_FOUND);
    this.logger.info({ wallet, keyId }, 'key revoked');
    return { keyId };
  }

  /** @throws SvcError invalid_api_key, account_suspended */
  async check(keyHash: string): Promise<CheckedKey> {
    const key = await this.store.find(keyHash);
    if (!key || key.revoked) throw invalidApiKey();
    if (key.suspended) throw accountSuspended();
    return { wallet: key.wallet, keyId: key.keyId };
  }
}
