import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { MAX_KEYS, MAX_KEY_VALUES, MAX_LIVE_KEYS } from '@svc/contracts';
import type {
  CheckedKey,
  CreateKeyRequest,
  CreatedKey,
  KeyView,
  RotateKeyRequest,
  UpdateKeyRequest,
} from '@svc/contracts';
import { accountSuspended, conflict, invalidApiKey, invalidRequest, notFound } from '@svc/errors';
import { parseBaseUnits } from '@svc/money';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { BillingConfig } from '../billing.config';
import { unknownWallet } from '../wallet/unknown-wallet';
import { KeyStore } from './key.store';
import type { FullOf, KeyRow } from './key.store';
import { keyView } from './key-view';

const ID_BYTES = 12;

/** API keys: hashes bound to wallets, with budgets. */
@Injectable()
export class KeyService {
  private readonly unsettledCap: bigint;

  constructor(
    config: BillingConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly store: KeyStore,
  ) {
    this.unsettledCap = parseBaseUnits(config.unsettledCap);
  }

  /**
   * Stores a key made at the gateway. A repeat for the same wallet answers with the key that stands.
   * @throws SvcError invalid_request: unknown wallet (404); the key is another wallet's, or revoked, or the wallet has as many
   *   as it may (409); a reset without a cap
   */
  async create({
    wallet,
    keyHash,
    lastFour,
    name,
    budgetCap,
    budgetReset,
  }: CreateKeyRequest): Promise<CreatedKey> {
    if (budgetReset !== undefined && budgetCap === undefined) throw resetWithoutCap();
    const keyId = `key_${randomBytes(ID_BYTES).toString('base64url')}`;
    const budget = {
      budgetCap: budgetCap === undefined ? null : parseBaseUnits(budgetCap),
      budgetReset: budgetReset ?? null,
    };
    const full = await this.store.add({ wallet, keyId, keyHash, lastFour, name, ...budget });
    const standing = await this.store.find(keyHash);
    if (!standing) throw full ? tooManyKeys(full) : unknownWallet();
    if (standing.wallet !== wallet || standing.revoked) throw taken();
    return { keyId: standing.keyId };
  }

  /** The wallet's keys, the newest first, those that work no more included; none for an unknown wallet. */
  async list(wallet: string): Promise<KeyView[]> {
    return (await this.store.list(wallet, this.unsettledCap)).map(keyView);
  }

  /** What a key may spend, as its holder asks. @throws SvcError invalid_api_key, account_suspended */
  async show(keyHash: string): Promise<KeyView> {
    const { wallet, keyId } = await this.check(keyHash);
    return keyView(await this.find(wallet, keyId));
  }

  /**
   * Changes name, budget, and whether it works.
   * @throws SvcError invalid_request: unknown key (404); revoked (409); a budget that cannot be (400). Nothing changes then.
   */
  async update(change: UpdateKeyRequest): Promise<KeyView> {
    const { wallet, keyId, name, disabled } = change;
    await this.findLive(wallet, keyId);
    await this.changeBudget(change);
    if (name !== undefined) await this.store.rename(wallet, keyId, name);
    if (disabled !== undefined) await this.store.setDisabled(wallet, keyId, disabled);
    const { budgetCap, budgetReset, removeBudget } = change;
    this.logger.info({ wallet, keyId, name, disabled, budgetCap, budgetReset, removeBudget }, 'key changed');
    return keyView(await this.find(wallet, keyId));
  }

  /** @throws SvcError invalid_request: unknown key (404); revoked, the new value is taken, or it had as many as it may (409) */
  async rotate({ overlapSeconds, ...key }: RotateKeyRequest): Promise<CreatedKey> {
    const { wallet, keyId } = key;
    await this.findLive(wallet, keyId);
    const outcome = await this.store.rotate(key, overlapSeconds);
    if (outcome !== 'rotated') {
      // A repeat finds its own value.
      const standing = await this.store.find(key.keyHash);
      if (standing?.wallet !== wallet || standing.keyId !== keyId)
        throw outcome === 'worn' ? tooManyValues() : taken();
    }
    this.logger.info({ wallet, keyId, overlapSeconds }, 'key rotated');
    return { keyId };
  }

  /** @throws SvcError invalid_request (404) for an unknown key */
  async revoke(wallet: string, keyId: string): Promise<CreatedKey> {
    if (!(await this.store.revoke(wallet, keyId))) throw unknownKey();
    this.logger.info({ wallet, keyId }, 'key revoked');
    return { keyId };
  }

  /** @throws SvcError invalid_api_key, account_suspended */
  async check(keyHash: string): Promise<CheckedKey> {
    const key = await this.store.find(keyHash);
    if (!key?.usable) throw invalidApiKey();
    if (key.suspended) throw accountSuspended();
    return { wallet: key.wallet, keyId: key.keyId };
  }

  private async changeBudget(change: UpdateKeyRequest): Promise<void> {
    const { wallet, keyId, removeBudget, budgetCap, budgetReset } = change;
    if (removeBudget) {
      if (budgetCap !== undefined || budgetReset !== undefined) {
        throw invalidRequest(
          'A budget cannot be removed and set at once; ask for one of them.',
          'removeBudget',
        );
      }
      await this.store.setBudget({ wallet, keyId, cap: null, reset: null });
      return;
    }
    if (budgetCap === undefined && budgetReset === undefined) return;
    const cap = budgetCap === undefined ? undefined : parseBaseUnits(budgetCap);
    const reset = budgetReset === 'never' ? null : budgetReset;
    const outcome = await this.store.setBudget({ wallet, keyId, cap, reset });
    if (outcome === 'no_cap') throw resetWithoutCap();
    if (outcome === 'below_spent') {
      throw invalidRequest(
        'The cap is below what the key holds and has spent in this period; set a higher one.',
        'budgetCap',
      );
    }
  }

  private async findLive(wallet: string, keyId: string): Promise<void> {
    const { revoked } = await this.find(wallet, keyId);
    if (revoked) throw conflict('The key is revoked; make another one.', 'keyId');
  }

  private async find(wallet: string, keyId: string): Promise<KeyRow> {
    const [row] = await this.store.list(wallet, this.unsettledCap, keyId);
    if (!row) throw unknownKey();
    return row;
  }
}

function unknownKey(): Error {
  return notFound('The wallet has no such key.', 'keyId');
}

function taken(): Error {
  return conflict('This value was given out before; ask for another one.', 'keyHash');
}

function resetWithoutCap(): Error {
  return invalidRequest('A budget that is reset needs a cap; set both.', 'budgetReset');
}

function tooManyValues(): Error {
  const message = `The key has had ${MAX_KEY_VALUES} values, as many as one may; make another key and revoke this one.`;
  return conflict(message, 'keyId');
}

/** What makes room: revoking a key does, until a wallet has had as many as are kept. */
function tooManyKeys(full: FullOf): Error {
  const message =
    full === 'live'
      ? `A wallet may have ${MAX_LIVE_KEYS} keys that are not revoked: revoke one that is not needed any more, or rotate one to get a new value.`
      : `A wallet may have ${MAX_KEYS} keys, revoked ones included: rename, enable or rotate one that is not revoked.`;
  return conflict(message);
}
