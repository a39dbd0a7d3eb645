import { Inject, Injectable } from '@nestjs/common';
import { ContractWallets, accountThatSigned } from '@svc/contracts-evm';
import { noCapacity } from '@svc/errors';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { hashMessage } from 'ethers';

const RETRY_AFTER_SECONDS = 5;

/** Who signed a text: an account by its key, a contract wallet by its own word. */
@Injectable()
export class SignatureService {
  constructor(
    private readonly contracts: ContractWallets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Whether the wallet signed the text (EIP-191, `personal_sign`). The chain is asked only when no account's key did.
   * @param wallet in lower case
   * @throws SvcError no_capacity when only the chain could tell and it is away
   */
  async isSigned(wallet: string, message: string, signature: string): Promise<boolean> {
    const digest = hashMessage(message);
    // An account that a contract acts for (EIP-7702) may still sign by its key.
    if (accountThatSigned(digest, signature) === wallet) return true;
    try {
      return await this.contracts.signed(wallet, digest, signature);
    } catch (error) {
      this.logger.warn({ err: error, wallet }, 'a signature could not be checked');
      throw noCapacity(
        'The chain that could tell whether a contract wallet signed this is away; try again.',
        RETRY_AFTER_SECONDS,
      );
    }
  }
}
