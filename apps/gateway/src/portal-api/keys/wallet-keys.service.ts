import { Inject, Injectable } from '@nestjs/common';
import { deriveApiKey, hashApiKey, lastFourOf } from '@svc/api-key';
import { billingContracts } from '@svc/contracts';
import type { CreateKeyRequest, KeyView, RpcContract } from '@svc/contracts';
import { conflict, isNotFound, notFound } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import { parseUsdc } from '@svc/money';
import { GatewayConfig } from '../../gateway.config';
import { keyCard } from '../../keys/key-card';
import { ServiceClient } from '../../messaging/service-client';
import { isPlaygroundKey } from '../playground/playground-key';
import type { Session } from '../sessions/session';
import type { KeyChange, KeyCreation, KeyRotation, KeyValue, WalletKey } from './wallet-key.dto';

const KEY_ID = /^[A-Za-z0-9_-]{1,80}$/;
/** What billing calls its fields, where the page has another word. */
const NAMES = { budgetCap: 'budget_usdc', keyId: 'id', keyHash: 'request_token' };

/**
 * The API keys of the wallet that is signed in. Values are made here, told once and not kept. They follow from the request that asks for
 * them (session, token and all fields), so that who repeats it gets the same value for the same key, and billing knows it by its hash.
 */
@Injectable()
export class WalletKeysService {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly services: ServiceClient,
  ) {}

  async list({ wallet }: Session, requestId: string): Promise<WalletKey[]> {
    const { keys } = await this.services.call(billingContracts.listKeys, { wallet }, requestId);
    return keys.map(walletKey);
  }

  /** @throws SvcError invalid_request */
  async create(session: Session, creation: KeyCreation, requestId: string): Promise<KeyValue> {
    const { wallet } = session;
    const { name, budget_usdc: cap, budget_reset: reset = 'never', request_token: token } = creation;
    const value = this.valueFor(session, ['create', token, name, cap ?? '', reset]);
    const { keyId } = await this.store(
      {
        wallet,
        name: name.trim(),
        ...this.storedForm(value),
        ...(cap !== undefined && { budgetCap: String(parseUsdc(cap)) }),
        ...(reset !== 'never' && { budgetReset: reset }),
      },
      requestId,
    );
    return { id: keyId, value, last_four: lastFourOf(value) };
  }

  /** @throws SvcError invalid_request; 404 for a key that is not the wallet's, as below */
  async change({ wallet }: Session, id: string, change: KeyChange, requestId: string): Promise<WalletKey> {
    const {
      name,
      disabled,
      budget_usdc: cap,
      budget_reset: budgetReset,
      remove_budget: removeBudget,
    } = change;
    const view = await this.ofKey(
      billingContracts.updateKey,
      {
        wallet,
        keyId: readKeyId(id),
        name: name?.trim(),
        disabled,
        budgetReset,
        removeBudget,
        ...(cap !== undefined && { budgetCap: String(parseUsdc(cap)) }),
      },
      requestId,
    );
    return walletKey(view);
  }

  async rotate(session: Session, id: string, rotation: KeyRotation, requestId: string): Promise<KeyValue> {
    const { overlap_seconds: overlapSeconds, request_token: token } = rotation;
    const keyId = readKeyId(id);
    await this.assertHasValue(session, keyId, requestId);
    const value = this.valueFor(session, ['rotate', token, keyId, String(overlapSeconds)]);
    const request = { wallet: session.wallet, keyId, overlapSeconds, ...this.storedForm(value) };
    await this.ofKey(billingContracts.rotateKey, request, requestId);
    return { id: keyId, value, last_four: lastFourOf(value) };
  }

  /** For good; a repeat changes nothing. */
  async revoke({ wallet }: Session, id: string, requestId: string): Promise<void> {
    await this.ofKey(billingContracts.revokeKey, { wallet, keyId: readKeyId(id) }, requestId);
  }

  private async assertHasValue(session: Session, keyId: string, requestId: string): Promise<void> {
    const key = (await this.list(session, requestId)).find(({ id }) => id === keyId);
    if (!key) throw noKey();
    if (key.purpose === 'api') return;
    throw conflict('The playground’s key has no value to replace. Revoke it instead.', 'id');
  }

  private valueFor({ wallet, sessionId }: Session, request: readonly string[]): string {
    const { environment, keyPepper } = this.config;
    return deriveApiKey(environment.keyPrefix, keyPepper, [wallet, sessionId, ...request]);
  }

  private storedForm(value: string): Pick<CreateKeyRequest, 'keyHash' | 'lastFour'> {
    return { keyHash: hashApiKey(value, this.config.keyPepper), lastFour: lastFourOf(value) };
  }

  private async store(key: CreateKeyRequest, requestId: string): Promise<{ keyId: string }> {
    const create = () => this.services.call(billingContracts.createKey, key, requestId, NAMES);
    try {
      return await create();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // A wallet that billing has not met: it signed in, and this is the first that it does.
      await this.services.call(billingContracts.registerWallet, { wallet: key.wallet }, requestId);
      return create();
    }
  }

  private async ofKey<Req extends object, Res>(
    contract: RpcContract<Req, Res>,
    request: Req,
    requestId: string,
  ): Promise<Res> {
    try {
      return await this.services.call(contract, request, requestId, NAMES);
    } catch (error) {
      throw isNotFound(error) ? noKey() : error;
    }
  }
}

function walletKey(view: KeyView): WalletKey {
  const purpose = isPlaygroundKey(view) ? 'playground' : 'api';
  return { ...keyCard(view), state: view.state, purpose };
}

function readKeyId(id: string): string {
  if (!KEY_ID.test(id)) throw noKey();
  return id;
}

/** Unknown, another wallet's and no id at all: the same words. */
function noKey(): SvcError {
  return notFound('You have no such key.', 'id');
}
