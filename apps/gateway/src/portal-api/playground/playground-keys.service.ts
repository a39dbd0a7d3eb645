import { Inject, Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import { SvcError, conflict } from '@svc/errors';
import { GatewayConfig } from '../../gateway.config';
import { ServiceClient } from '../../messaging/service-client';
import { PLAYGROUND_LAST_FOUR, playgroundKeyHash, playgroundKeysAmong } from './playground-key';
import type { PlaygroundKeys } from './playground-key';

const NAME = 'Playground';
/** What a playground may spend unless its owner says otherwise: 5 USDC a day, base units. */
const BUDGET = { budgetCap: '5000000', budgetReset: 'daily' } as const;
const CONFLICT = 409;

/**
 * - `unused`: the first request turns it on
 * - `on`
 * - `off`: its owner revoked or disabled its key, and must say so to have it again
 */
export type PlaygroundState = 'unused' | 'on' | 'off';

/** The key that pays for a wallet's playground: one of the wallet's own, in its list of keys, with a budget. */
@Injectable()
export class PlaygroundKeysService {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly billing: ServiceClient,
  ) {}

  async find(wallet: string, requestId: string): Promise<PlaygroundKeys> {
    const { keys } = await this.billing.call(billingContracts.listKeys, { wallet }, requestId);
    return playgroundKeysAmong(keys);
  }

  /**
   * The hash of the key that works; the first one is made now.
   * @throws SvcError invalid_request (409) when its owner turned it off, or has as many keys as a wallet may have
   */
  async usable(wallet: string, requestId: string): Promise<string> {
    const found = await this.find(wallet, requestId);
    const state = stateOf(found);
    if (state === 'off') throw playgroundOff();
    if (state === 'on') return this.hashOf(wallet, found.generation);
    return this.make(wallet, 1, requestId);
  }

  /**
   * Makes the first key, or the next when the one before was revoked; enables one that is disabled. One that is on is seen to have the hash
   * that it is asked by here: the pepper may have changed. Harmless when it has.
   */
  async turnOn(wallet: string, requestId: string): Promise<PlaygroundKeys> {
    const { generation, newest } = await this.find(wallet, requestId);
    if (newest?.state === 'disabled') {
      const change = { wallet, keyId: newest.keyId, disabled: false };
      await this.billing.call(billingContracts.updateKey, change, requestId);
    } else if (newest?.state === 'active') {
      const key = { keyHash: this.hashOf(wallet, generation), lastFour: PLAYGROUND_LAST_FOUR };
      const rotation = { wallet, keyId: newest.keyId, ...key, overlapSeconds: 0 };
      await this.billing.call(billingContracts.rotateKey, rotation, requestId);
    } else {
      await this.make(wallet, generation + 1, requestId);
    }
    return this.find(wallet, requestId);
  }

  /** Two who ask at once make the same key. */
  private async make(wallet: string, generation: number, requestId: string): Promise<string> {
    const keyHash = this.hashOf(wallet, generation);
    await this.billing.call(billingContracts.registerWallet, { wallet }, requestId);
    const key = { wallet, keyHash, lastFour: PLAYGROUND_LAST_FOUR, name: NAME, ...BUDGET };
    try {
      await this.billing.call(billingContracts.createKey, key, requestId);
    } catch (refusal) {
      throw isWithoutRoom(refusal) ? noRoomForKey(refusal) : refusal;
    }
    return keyHash;
  }

  private hashOf(wallet: string, generation: number): string {
    return playgroundKeyHash(wallet, generation, this.config.keyPepper);
  }
}

export function stateOf({ newest }: PlaygroundKeys): PlaygroundState {
  if (!newest) return 'unused';
  return newest.state === 'active' ? 'on' : 'off';
}

export function playgroundOff(): SvcError {
  return conflict(
    'The playground is off for this wallet: its key was revoked or disabled. Turn it on and send again.',
    'playground',
  );
}

/** Of the conflicts over a new key the only one that is about no field of it. */
function isWithoutRoom(refusal: unknown): refusal is SvcError {
  return SvcError.is(refusal) && refusal.status === CONFLICT && refusal.payload.param === undefined;
}

/** Whoever types a message has made no key, and would not know whose is meant. */
function noRoomForKey({ message }: SvcError): SvcError {
  return conflict(
    `The playground pays by a key of its own, and there is no room for one. ${message}`,
    'keys',
  );
}
