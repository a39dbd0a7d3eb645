import { Inject, Injectable } from '@nestjs/common';
import { hashApiKey, isWellFormedApiKey } from '@svc/api-key';
import { billingContracts } from '@svc/contracts';
import { invalidApiKey } from '@svc/errors';
import { RpcClient, RpcUnavailableError } from '@svc/messaging';
import { GatewayConfig } from '../gateway.config';

const BEARER = /^Bearer +(\S+)$/i;

/** API keys at the edge: the raw key is hashed here and goes no further. */
@Injectable()
export class ApiKeysService {
  private readonly prefix: string;

  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    private readonly rpc: RpcClient,
  ) {
    this.prefix = config.environment.keyPrefix;
  }

  /**
   * The key's hash, 64 hex digits: what the rest of the service knows it by. Shape, checksum and environment are
   * checked here, without asking anybody.
   * @throws SvcError invalid_api_key
   */
  hashOf(authorization: string | undefined): string {
    const key = this.keyIn(authorization);
    if (key === undefined) throw invalidApiKey();
    return hashApiKey(key, this.config.keyPepper);
  }

  /** Whether `hashOf` would take it. */
  isWellFormed(authorization: string | undefined): boolean {
    return this.keyIn(authorization) !== undefined;
  }

  /**
   * For requests that are refused anyway: what is wrong with the key is told first. When nobody can say, the refusal
   * at hand is true as well.
   * @throws SvcError invalid_api_key, account_suspended
   */
  async assertUsable(keyHash: string, requestId: string): Promise<void> {
    try {
      await this.rpc.call(billingContracts.checkKey, { keyHash }, { requestId });
    } catch (error) {
      if (!RpcUnavailableError.is(error)) throw error;
    }
  }

  private keyIn(authorization: string | undefined): string | undefined {
    const key = BEARER.exec(authorization ?? '')?.[1];
    return key !== undefined && isWellFormedApiKey(key, this.prefix) ? key : undefined;
  }
}
