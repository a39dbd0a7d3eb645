import { readMeans, settlementAt } from '@svc/contracts-evm';
import type { WalletMeans } from '@svc/contracts-evm';
import { ChainMovedError } from './block';
import type { BlockHeader, BlockRef, ChainPosition } from './block';
import { isMisfit, isUnreadable, undefinedIfUnreadable } from './chain-connection';
import type { ChainConnection } from './chain-connection';
import { limitsOf } from './limit';
import type { WalletLimits } from './limit';

interface RpcBlock {
  number: string;
  hash: string;
  parentHash: string;
  timestamp: string;
}

/** Reads blocks and wallets' means from the chain. */
export class ChainReader {
  /** In lower case. The contract keeps it for good. */
  private treasury: string | undefined;

  constructor(private readonly connection: ChainConnection) {}

  /**
   * Refuses a chain that answers and is not the configured one; one that does not answer is left for later.
   * @throws Error in one clear line
   */
  async refuseMisfit(): Promise<void> {
    await this.head().catch((error: unknown) => {
      if (!isMisfit(error)) return;
      const reason = error instanceof Error ? error.message : String(error);
      // Without a cause: the log would say the same line twice.
      throw new Error(`the CHAIN_ settings do not fit: ${reason}`);
    });
  }

  /**
   * The newest block.
   * @throws ChainError when the server is on another chain, or the contracts are not where they should be; ethers'
   *   errors when it does not answer within 3 s
   */
  async head(): Promise<BlockHeader> {
    const provider = await this.connection.openChecked();
    const block = (await provider.send('eth_getBlockByNumber', ['latest', false])) as RpcBlock | null;
    if (!block) throw new ChainMovedError('the chain has no newest block');
    return headerOf(block);
  }

  /** The block of that number, if the chain is that long. @throws as `head` */
  async header(number: number): Promise<BlockHeader | undefined> {
    const provider = await this.connection.open();
    const block = (await provider.send('eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      false,
    ])) as RpcBlock | null;
    return block ? headerOf(block) : undefined;
  }

  /**
   * What the chain shows of the wallets at the position's two blocks: by their hashes (EIP-1898), so that a reorganisation
   * cannot mix two chains.
   * @throws ChainMovedError when the head is no longer on the chain; else as `head`
   */
  async limits(wallets: readonly string[], { head, safe }: ChainPosition): Promise<WalletLimits[]> {
    const [atHead, atSafe] = await Promise.all([
      this.read(wallets, head),
      safe.hash === undefined || safe.hash === head.hash
        ? undefined
        : this.read(wallets, { number: safe.number, hash: safe.hash }).catch(undefinedIfUnreadable),
    ]);
    return limitsOf(atHead, safe.hash === head.hash ? atHead : atSafe);
  }

  close(): void {
    this.connection.close();
  }

  private async read(wallets: readonly string[], block: BlockRef): Promise<WalletMeans[]> {
    const provider = await this.connection.open();
    const { usdc, settlement } = this.connection.options;
    try {
      this.treasury ??= (await settlementAt(settlement, provider).treasury()).toLowerCase();
      const read = await readMeans(provider, { usdc, settlement, wallets, blockTag: block.hash });
      return read.map((means) => (means.wallet === this.treasury ? withoutAllowance(means) : means));
    } catch (error) {
      if (isUnreadable(error) && (await this.header(block.number))?.hash !== block.hash) {
        throw new ChainMovedError(`block ${block.number} is no longer on the chain`);
      }
      throw error;
    }
  }
}

/** The treasury's approval is for payouts: the contract pulls nothing from it. */
function withoutAllowance(means: WalletMeans): WalletMeans {
  return { ...means, allowance: 0n };
}

function headerOf({ number, hash, parentHash, timestamp }: RpcBlock): BlockHeader {
  return {
    number: Number(number),
    hash: hash.toLowerCase(),
    parentHash: parentHash.toLowerCase(),
    timestamp: Number(timestamp),
  };
}
