import { ChainError, connectChain, isChainError, readSpendable } from '@svc/contracts-evm';
import { isError } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { limitsOf } from './limit';
import type { WalletLimits } from './limit';

export interface ChainReaderOptions {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly usdc: string;
  readonly settlement: string;
  /** How many blocks the safe view lies below the head. */
  readonly confirmations: number;
}

const RPC_TIMEOUT_MS = 3_000;

/** Reads wallets' means from the chain, over a connection that is made when the chain first answers. */
export class ChainReader {
  private provider: JsonRpcProvider | undefined;

  constructor(private readonly options: ChainReaderOptions) {}

  /**
   * Refuses a chain that answers and is not the configured one; one that does not answer is left for later.
   * @throws Error in one clear line
   */
  async refuseMisfit(): Promise<void> {
    await this.head().catch((error: unknown) => {
      if (!isMisfit(error)) return;
      const reason = error instanceof Error ? error.message : String(error);
      // Without a cause: the log would say the same line twice.
      throw new Error(`CHAIN_RPC_URL does not fit the other CHAIN_ settings: ${reason}`);
    });
  }

  /**
   * The head's block number.
   * @throws ChainError when the server is on another chain, or the contracts are not where they should be; ethers'
   *   errors when it does not answer within 3 s
   */
  async head(): Promise<number> {
    const provider = (this.provider ??= await this.open());
    const [chainId, block] = (await Promise.all([
      provider.send('eth_chainId', []),
      provider.send('eth_blockNumber', []),
    ])) as [string, string];
    // The server behind an address may change.
    if (Number(chainId) !== this.options.chainId) {
      throw new ChainError(
        'wrong_chain',
        `expected chain ${this.options.chainId}, the server is on ${Number(chainId)}`,
      );
    }
    return Number(block);
  }

  /** What the chain shows of the wallets as of block `head`. @throws as `head` */
  async limits(wallets: readonly string[], head: number): Promise<WalletLimits[]> {
    const safe = Math.max(0, head - this.options.confirmations);
    const [atHead, atSafe] = await Promise.all([
      this.read(wallets, head),
      safe === head ? undefined : this.read(wallets, safe).catch(undefinedIfUnreadable),
    ]);
    return limitsOf(atHead, safe === head ? atHead : atSafe);
  }

  close(): void {
    this.provider?.destroy();
    this.provider = undefined;
  }

  private async open(): Promise<JsonRpcProvider> {
    const { rpcUrl, chainId, usdc } = this.options;
    const provider = await connectChain({ rpcUrl, chainId: BigInt(chainId), timeoutMs: RPC_TIMEOUT_MS });
    try {
      // Whether the contracts are there, and belong together, is seen by asking them about any address.
      await readSpendable(provider, { ...this.contracts, wallets: [usdc], blockTag: 'latest' });
      return provider;
    } catch (error) {
      provider.destroy();
      throw error;
    }
  }

  private read(wallets: readonly string[], blockTag: number) {
    if (!this.provider) throw new Error('read before the head was');
    return readSpendable(this.provider, { ...this.contracts, wallets, blockTag });
  }

  private get contracts() {
    return { usdc: this.options.usdc, settlement: this.options.settlement };
  }
}

/**
 * The block may lie before the contract's deployment, or the server may no longer have its state (a pruned node, a
 * development chain that was restarted). That is no reason to disbelieve the head.
 */
function undefinedIfUnreadable(error: unknown): undefined {
  const unreadable =
    isChainError(error, 'no_contract') ||
    isError(error, 'CALL_EXCEPTION') ||
    isError(error, 'BAD_DATA') ||
    isError(error, 'UNKNOWN_ERROR');
  if (unreadable) return undefined;
  throw error;
}

/** Whether the error says that the chain or an address is the wrong one, rather than that nobody answers. */
export function isMisfit(error: unknown): boolean {
  return (
    isChainError(error, 'wrong_chain') ||
    isChainError(error, 'no_contract') ||
    isChainError(error, 'wrong_token') ||
    isError(error, 'CALL_EXCEPTION') ||
    isError(error, 'BAD_DATA')
  );
}
