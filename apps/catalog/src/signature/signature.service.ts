import { Inject, Injectable } from '@nestjs/common';
import { ContractWallets, accountThatSigned } from '@svc/contracts-evm';
import { invalidRequest, noCapacity } from '@svc/errors';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { supplyDigest } from '@svc/supply-messages';
import type { SupplyDomain, SupplyMessages } from '@svc/supply-messages';
import { SUPPLY_DOMAIN } from './tokens';

const RETRY_AFTER_SECONDS = 5;

/** Who signed what: an account by its key, a contract wallet by its own word. */
@Injectable()
export class SignatureService {
  constructor(
    @Inject(SUPPLY_DOMAIN) readonly domain: SupplyDomain,
    private readonly contracts: ContractWallets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Whether the provider that a message names has signed it, for this chain and settlement contract.
   * @throws SvcError no_capacity when only the chain could tell and it is away
   */
  async isSigned<K extends keyof SupplyMessages>(
    type: K,
    message: SupplyMessages[K],
    signature: string,
  ): Promise<boolean> {
    const digest = this.digestOf(type, message);
    // An account that a contract acts for (EIP-7702) may still sign by its key.
    if (accountThatSigned(digest, signature) === message.provider) return true;
    try {
      return await this.contracts.signed(message.provider, digest, signature);
    } catch (error) {
      this.logger.warn({ err: error, provider: message.provider }, 'a signature could not be checked');
      throw noCapacity(
        'The chain that could tell whether a contract wallet signed this is away. Nothing was stored; retry.',
        RETRY_AFTER_SECONDS,
      );
    }
  }

  /**
   * @returns the digest that was signed
   * @throws SvcError invalid_request (`signature`) when it was not; no_capacity as {@link isSigned}
   */
  async requireSigned<K extends keyof SupplyMessages>(
    type: K,
    message: SupplyMessages[K],
    signature: string,
  ): Promise<string> {
    if (await this.isSigned(type, message, signature)) return this.digestOf(type, message);
    const { chainId, verifyingContract } = this.domain;
    throw invalidRequest(
      `The signature is not one of ${message.provider} under this ${type} message (EIP-712) for chain ${chainId} and contract ` +
        `${verifyingContract}; sign what is sent with that account, for the domain that /v1/supply/terms tells.`,
      'signature',
    );
  }

  private digestOf<K extends keyof SupplyMessages>(type: K, message: SupplyMessages[K]): string {
    return supplyDigest(this.domain, type, message);
  }
}
