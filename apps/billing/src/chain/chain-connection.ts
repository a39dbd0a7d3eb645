import { ChainError, connectChain, isChainError, isUnknownCall, readMeans } from '@svc/contracts-evm';
import { isError } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import type { ContractStore } from './contract.store';

interface ChainConnectionOptions {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly usdc: string;
  readonly settlement: string;
  /** How many blocks the safe view lies below the head. */
  readonly confirmations: number;
}

const RPC_TIMEOUT_MS = 3_000;

/** The way to the chain, made when that first answers. */
export class ChainConnection {
  private provider: JsonRpcProvider | undefined;
  private opening: Promise<JsonRpcProvider> | undefined;

  constructor(
    readonly options: ChainConnectionOptions,
    private readonly contracts: Pick<ContractStore, 'bind'>,
  ) {}

  /**
   * A provider that was on the configured chain, with the configured contracts, when it was opened. They are the ledger's: it is bound to
   * them before anybody reads of them or signs for them.
   * @throws ChainError when it is on another, the contracts are not where they should be, or the ledger belongs to another; ethers'
   *   errors when nobody answers within 3 s; ChainTablesAwayError when the database does not
   */
  async open(): Promise<JsonRpcProvider> {
    if (this.provider) return this.provider;
    this.opening ??= this.connect().finally(() => (this.opening = undefined));
    return this.opening;
  }

  /** As {@link open}, and asks for the chain's id again: the server behind an address may change. */
  async openChecked(): Promise<JsonRpcProvider> {
    const provider = await this.open();
    const answered = Number((await provider.send('eth_chainId', [])) as string);
    if (answered === this.options.chainId) return provider;
    throw new ChainError(
      'wrong_chain',
      `expected chain ${this.options.chainId}, the server is on ${answered}`,
    );
  }

  close(): void {
    this.provider?.destroy();
    this.provider = undefined;
  }

  private async connect(): Promise<JsonRpcProvider> {
    const { rpcUrl, chainId, usdc, settlement } = this.options;
    const provider = await connectChain({ rpcUrl, chainId: BigInt(chainId), timeoutMs: RPC_TIMEOUT_MS });
    try {
      // Whether the contracts are there, and belong together, is seen by asking them about any address.
      await readMeans(provider, { usdc, settlement, wallets: [usdc], blockTag: 'latest' });
      await this.contracts.bind({ chainId, settlement, usdc });
    } catch (error) {
      provider.destroy();
      throw error;
    }
    this.provider = provider;
    return provider;
  }
}

/** Whether the error says that the chain or an address is the wrong one, rather than that nobody answers. */
export function isMisfit(error: unknown): boolean {
  return (
    isChainError(error, 'wrong_chain') ||
    isChainError(error, 'no_contract') ||
    isChainError(error, 'wrong_token') ||
    isChainError(error, 'wrong_contract') ||
    isUnknownCall(error)
  );
}

/**
 * Whether a block's state cannot be read although somebody answers: the block may lie before the contract's deployment, or the
 * server may no longer have its state (a pruned node, a development chain that was restarted). Or it has too many questions: this is a
 * reason to look again later, and never to conclude anything.
 */
export function isUnreadable(error: unknown): boolean {
  return (
    isChainError(error, 'no_contract') ||
    isError(error, 'CALL_EXCEPTION') ||
    isError(error, 'BAD_DATA') ||
    isError(error, 'UNKNOWN_ERROR')
  );
}

/** For `catch`: what cannot be read is undefined. @throws every other error */
export function undefinedIfUnreadable(error: unknown): undefined {
  if (isUnreadable(error)) return undefined;
  throw error;
}
