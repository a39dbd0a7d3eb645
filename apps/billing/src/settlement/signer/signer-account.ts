import { Transaction, Wallet } from 'ethers';
import type { Fees } from './fees';

/** What is to be signed. */
interface Unsigned {
  readonly to: string;
  readonly data: string;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly fees: Fees;
}

/** A transaction as it goes out. */
export interface Signed extends Unsigned {
  readonly signer: string;
  readonly hash: string;
  readonly raw: string;
}

/** An account whose key this process has. The key stays in here. */
export class SignerAccount {
  readonly #wallet: Wallet;
  /** In lower case. */
  readonly address: string;

  constructor(
    privateKey: string,
    private readonly chainId: number,
  ) {
    this.#wallet = new Wallet(privateKey);
    this.address = this.#wallet.address.toLowerCase();
  }

  /** Signs for the configured chain alone (EIP-155, EIP-1559). */
  sign({ to, data, nonce, gasLimit, fees }: Unsigned): Signed {
    const transaction = Transaction.from({
      type: 2,
      chainId: this.chainId,
      to,
      data,
      nonce,
      gasLimit,
      ...fees,
    });
    transaction.signature = this.#wallet.signingKey.sign(transaction.unsignedHash);
    const { hash, serialized } = transaction;
    if (!hash) throw new Error('a signed transaction has a hash');
    return {
      to,
      data,
      nonce,
      gasLimit,
      fees,
      signer: this.address,
      hash: hash.toLowerCase(),
      raw: serialized,
    };
  }
}
