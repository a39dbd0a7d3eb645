import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { hashApiKey, isWellFormedApiKey } from '@svc/api-key';
import { BoundedMap } from '@svc/collections';
import { billingContracts } from '@svc/contracts';
import { SvcError, invalidApiKey } from '@svc/errors';
import { RpcClient } from '@svc/messaging';
import { GatewayConfig } from '../gateway.config';
import { isAway } from '../messaging/is-away';
import { Remembered } from './remembered';
import { UnknownKeys } from './unknown-keys';
import type { KeyBearer } from './unknown-keys';

const BEARER = /^Bearer +(\S+)$/i;
/** Keys whose hashes are kept. */
const MOST_KEPT = 10_000;

/** API keys at the edge: the raw key is hashed here and goes no further. */
@Injectable()
export class ApiKeysService {
  private readonly prefix: string;
  /** Of keys in good form, by a digest of the header: making one anew takes five times as long. */
  private readonly hashes = new BoundedMap<string, string>(MOST_KEPT);
  /** By hash: keys of which nothing bad was heard. */
  private readonly usable = new Remembered();
  /** By hash: keys whose last hold was refused for want of money. */
  private readonly short = new Remembered();
  /** By hash: keys that billing is being asked about. */
  private readonly asked = new Map<string, Promise<void>>();

  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly rpc: RpcClient,
    private readonly unknown: UnknownKeys,
  ) {
    this.prefix = config.environment.keyPrefix;
  }

  /**
   * The key's hash, 64 hex digits: what the rest of the service knows it by. Shape, checksum and environment are
   * checked here, without asking anybody.
   * @throws SvcError invalid_api_key
   */
  hashOf(authorization: string | undefined): string {
    const keyHash = this.find(authorization);
    if (keyHash === undefined) throw invalidApiKey();
    return keyHash;
  }

  /** Whether `hashOf` would take it. */
  isWellFormed(authorization: string | undefined): boolean {
    return this.find(authorization) !== undefined;
  }

  /**
   * For requests that are refused anyway: what is wrong with the key is told first. When nobody can say, the refusal
   * at hand is true as well.
   * @throws SvcError invalid_api_key, account_suspended; invalid_request (429) as `asking`
   */
  async assertUsable(keyHash: string, bearer: KeyBearer): Promise<void> {
    const { checkKey } = billingContracts;
    try {
      await this.asking(keyHash, bearer, () =>
        this.rpc.call(checkKey, { keyHash }, { requestId: bearer.id }),
      );
    } catch (error) {
      if (!saysNothing(error)) throw error;
    }
  }

  /**
   * Asks billing what it answers to none but who has a key that may be used.
   * @throws SvcError invalid_request (429) where too many came from the address that may not: billing is not asked about another then
   * @throws whatever billing refuses with
   */
  async asking<T>(keyHash: string, bearer: KeyBearer, ask: () => Promise<T>): Promise<T> {
    const takeBack = this.usable.has(keyHash) ? undefined : await this.unknown.count(bearer);
    try {
      const answer = await ask();
      this.usable.add(keyHash);
      takeBack?.();
      return answer;
    } catch (error) {
      this.heard(keyHash, error);
      if (!SvcError.is(error) || error.code !== 'invalid_api_key') takeBack?.();
      throw error;
    }
  }

  /**
   * Before anybody works for a request: a key that was not heard of is asked about, once. Its form is no secret, so that anybody can make
   * one up. Who has none that may be used costs the gateway no reading of a body and cortex no plan, and takes no place in its reckoning
   * of who is busy.
   * @throws SvcError as `assertUsable`
   */
  async assertHeardOf(keyHash: string, bearer: KeyBearer): Promise<void> {
    if (this.usable.has(keyHash)) return;
    let asked = this.asked.get(keyHash);
    if (!asked) {
      asked = this.assertUsable(keyHash, bearer).finally(() => this.asked.delete(keyHash));
      this.asked.set(keyHash, asked);
    }
    await asked;
  }

  /** Whether the key's next request will hardly come to a run, because there was no money for the last. */
  isShort(keyHash: string): boolean {
    return this.short.has(keyHash);
  }

  /** There was money for a request with the key. */
  held(keyHash: string): void {
    this.short.delete(keyHash);
  }

  /** A request with the key was refused. */
  heard(keyHash: string, refusal: unknown): void {
    if (!SvcError.is(refusal)) return;
    if (refusal.code === 'invalid_api_key' || refusal.code === 'account_suspended')
      this.usable.delete(keyHash);
    if (refusal.code === 'insufficient_quota') this.short.add(keyHash);
  }

  private find(authorization: string | undefined): string | undefined {
    if (authorization === undefined) return undefined;
    // Nobody finds 256 random bits by their digest, with a pepper or without; and it never leaves this process.
    const digest = hash('sha256', authorization, 'base64');
    const known = this.hashes.get(digest);
    if (known !== undefined) return known;
    const key = BEARER.exec(authorization)?.[1];
    if (key === undefined || !isWellFormedApiKey(key, this.prefix)) return undefined;
    const keyHash = hashApiKey(key, this.config.keyPepper);
    this.hashes.set(digest, keyHash);
    return keyHash;
  }
}

/** Whether billing could not say: it was not there, had no database, or broke over the question. */
function saysNothing(error: unknown): boolean {
  return isAway(error) || (SvcError.is(error) && error.code === 'internal_error');
}
