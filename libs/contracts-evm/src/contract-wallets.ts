import { BoundedMap } from '@svc/collections';
import { valueWithin } from '@svc/time-limit';
import { AbiCoder, concat, toQuantity } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { isCodeFailure } from './chain-error';
import { connectChain } from './connect-chain';

/** `isValidSignature(bytes32,bytes)`: selector, and what the contract answers when it takes the signature for its own (EIP-1271). */
const MAGIC = '0x1626ba7e';
const MAGIC_WORD = MAGIC.padEnd(66, '0');
/** How much gas the contract may use: it is the signer's own and may do anything. */
const CALL_GAS = 3_000_000;
const PATIENCE_MS = 3_000;

interface ContractWalletsOptions {
  rpcUrl: string;
  chainId: number;
}

/** How many questions may be with the chain at once: whoever signs wrongly must not keep it from others. */
export const MOST_QUESTIONS = 16;
/** For how long it is remembered, and not asked again, whether there is a contract at an address; and of how many addresses. */
const KNOWN_FOR_MS = 60_000;
const MOST_KNOWN = 10_000;

/** Thrown when the chain could not be asked. */
export class ChainAwayError extends Error {
  constructor(cause: unknown) {
    super('the chain could not be asked', { cause });
    this.name = 'ChainAwayError';
  }
}

/** Wallets that are contracts, on the chain. Connected at the first question, so that the service starts without it. */
export class ContractWallets {
  private connection: Promise<JsonRpcProvider> | undefined;
  private questions = 0;
  /** By address: whether a contract is there, and until when that is believed. */
  private readonly known = new BoundedMap<string, { isContract: boolean; untilMs: number }>(MOST_KNOWN);

  constructor(private readonly options: ContractWalletsOptions) {}

  /**
   * Whether there is a contract at that address and it takes the signature for its own (EIP-1271); signatures of contracts that are
   * yet to be deployed (EIP-6492) are not taken.
   * @throws ChainAwayError when the chain does not answer within 3 s, or has so many questions to answer already
   */
  async signed(wallet: string, digest: string, signature: string): Promise<boolean> {
    if (this.isKnownContract(wallet) === false) return false;
    if (this.questions >= MOST_QUESTIONS) throw new ChainAwayError(new Error('too many questions under way'));
    try {
      const asked = this.counted(() => this.ask(wallet, digest, signature));
      const answer = await valueWithin(PATIENCE_MS, asked, undefined);
      if (answer === undefined) throw new Error('no answer in time');
      return answer;
    } catch (error) {
      throw new ChainAwayError(error);
    }
  }

  /** Nest calls it when the service ends. */
  async onApplicationShutdown(): Promise<void> {
    const provider = await this.connection?.catch(() => undefined);
    provider?.destroy();
  }

  /** Counts also while nobody waits for it any more. */
  private async counted<T>(work: () => Promise<T>): Promise<T> {
    this.questions++;
    try {
      return await work();
    } finally {
      this.questions--;
    }
  }

  private isKnownContract(wallet: string): boolean | undefined {
    const known = this.known.get(wallet);
    return known && known.untilMs > performance.now() ? known.isContract : undefined;
  }

  private async isContract(provider: JsonRpcProvider, wallet: string): Promise<boolean> {
    const known = this.isKnownContract(wallet);
    if (known !== undefined) return known;
    const isContract = (await provider.getCode(wallet)) !== '0x';
    this.known.set(wallet, { isContract, untilMs: performance.now() + KNOWN_FOR_MS });
    return isContract;
  }

  private async ask(wallet: string, digest: string, signature: string): Promise<boolean> {
    const provider = await this.connect();
    if (!(await this.isContract(provider, wallet))) return false;
    const args = AbiCoder.defaultAbiCoder().encode(['bytes32', 'bytes'], [digest, signature]);
    const call = { to: wallet, data: concat([MAGIC, args]), gas: toQuantity(CALL_GAS) };
    try {
      const answer: unknown = await provider.send('eth_call', [call, 'latest']);
      return typeof answer === 'string' && answer.slice(0, MAGIC_WORD.length).toLowerCase() === MAGIC_WORD;
    } catch (error) {
      // The contract refused, or ran out of gas: it has not said yes. Anything else is the chain's own trouble.
      if (isCodeFailure(error)) return false;
      throw error;
    }
  }

  private connect(): Promise<JsonRpcProvider> {
    const { rpcUrl, chainId } = this.options;
    this.connection ??= connectChain({ rpcUrl, chainId: BigInt(chainId), timeoutMs: PATIENCE_MS }).catch(
      (error: unknown) => {
        this.connection = undefined;
        throw error;
      },
    );
    return this.connection;
  }
}
