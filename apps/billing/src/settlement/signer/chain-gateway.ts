import { isCodeFailure, isUnknownCall, settlementAt, testUsdcAt } from '@svc/contracts-evm';
import type { Settlement } from '@svc/contracts-evm';
import { isError } from 'ethers';
import { undefinedIfUnreadable } from '../../chain/chain-connection';
import type { ChainConnection } from '../../chain/chain-connection';
import { feesFor } from './fees';
import type { Fees } from './fees';
import { priorityFee } from './priority-fee';

/** Thrown when the contract would refuse a transaction; `reason` is the name of its error. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(readonly reason: string) {
    super(`the settlement contract refuses: ${reason}`);
  }
}

interface RpcBlock {
  number: string;
  hash: string;
}

interface RpcReceipt {
  gasUsed: string;
  effectiveGasPrice: string;
}

/** One transaction may not take more (EIP-7825). */
const MOST_GAS = 1n << 24n;
/** Of a block's gas: the next block may have a 1,024th less than this one, and a transaction may wait for dozens of them. */
const [BLOCK_SHARE, BLOCK_SHARES] = [15n, 16n];

/** How many times in a row a server may be too busy to say what a transaction cost, before nothing waits for that any more. */
const COST_PATIENCE = 50;
/** Servers agree on no code for that: they say it in these words, or with one of these. */
const BUSY = /-32005|\b429\b|too many|rate.?limit/i;

/** What settlement asks the chain. @throws ChainError on the wrong chain; ethers' errors when it does not answer */
export class ChainGateway {
  private costsRefused = 0;

  constructor(private readonly connection: ChainConnection) {}

  get address(): string {
    return this.connection.options.settlement;
  }

  /** The contract's functions, for encoding calls. */
  async contract(): Promise<Settlement> {
    return settlementAt(this.address, await this.connection.open());
  }

  /** The root the contract keeps for a batch: zero for none. `block` is a hash, or "latest". */
  async batchRoot(batchId: string, block: string): Promise<string> {
    const contract = await this.contract();
    return (await contract.batchRoot(batchId, { blockTag: block })).toLowerCase();
  }

  async payoutRoot(block: string): Promise<string> {
    const contract = await this.contract();
    return (await contract.payoutRoot({ blockTag: block })).toLowerCase();
  }

  /** What was ever pulled from everybody, at a block. */
  async totalPulled(block: string): Promise<bigint> {
    return (await this.contract()).totalPulled({ blockTag: block });
  }

  async totalPaid(block: string): Promise<bigint> {
    return (await this.contract()).totalPaid({ blockTag: block });
  }

  async paid(provider: string, block: string): Promise<bigint> {
    return (await this.contract()).paid(provider, { blockTag: block });
  }

  /** The number of a block; undefined when it is not on the chain as far as the server knows, which may know blocks that no longer are. */
  async numberOf(hash: string): Promise<number | undefined> {
    const provider = await this.connection.open();
    const block = (await provider.send('eth_getBlockByHash', [hash, false])) as RpcBlock | null;
    if (!block) return undefined;
    const there = (await provider.send('eth_getBlockByNumber', [block.number, false])) as RpcBlock | null;
    return there?.hash.toLowerCase() === hash ? Number(block.number) : undefined;
  }

  /**
   * Whether transfers fail for everybody at a block: the token is paused, or bars the treasury or the contract. False
   * for tokens that know neither; undefined where that cannot be read (a pruned node, one that lags or has too many questions).
   */
  async isTokenStopped(block: string): Promise<boolean | undefined> {
    const provider = await this.connection.open();
    const token = testUsdcAt(this.connection.options.usdc, provider);
    const at = { blockTag: block };
    // The contract always has an answer; a token that does not know the question looks like a state that is gone.
    const treasury = await (await this.contract()).treasury(at).catch(undefinedIfUnreadable);
    if (treasury === undefined) return undefined;
    const answers = await Promise.all([
      token.paused(at).catch(falseIfUnknown),
      token.isBlacklisted(this.address, at).catch(falseIfUnknown),
      token.isBlacklisted(treasury, at).catch(falseIfUnknown),
    ]);
    if (answers.includes(true)) return true;
    return answers.includes(undefined) ? undefined : false;
  }

  /** The nonce of the next transaction that the newest block lets the account make. */
  async nonce(account: string): Promise<number> {
    const provider = await this.connection.openChecked();
    return provider.getTransactionCount(account, 'latest');
  }

  /** Wei. */
  async balance(account: string): Promise<bigint> {
    return (await this.connection.open()).getBalance(account, 'latest');
  }

  /** Gas that a call to the contract takes at the newest block. @throws RefusedError; ethers' CALL_EXCEPTION when the node does not say */
  async estimateGas(from: string, data: string): Promise<bigint> {
    const provider = await this.connection.open();
    try {
      return await provider.estimateGas({ from, to: this.address, data });
    } catch (error) {
      if (!isError(error, 'CALL_EXCEPTION') || !isCodeFailure(error)) throw error;
      const contract = await this.contract();
      const known = error.data ? contract.interface.parseError(error.data) : null;
      throw new RefusedError(known?.name ?? error.shortMessage);
    }
  }

  /** Gas that a transaction may take at most: some chains have smaller blocks than others let a transaction be. */
  async mostGas(): Promise<bigint> {
    const provider = await this.connection.open();
    const block = await provider.getBlock('latest');
    const inBlock = block ? (block.gasLimit * BLOCK_SHARE) / BLOCK_SHARES : MOST_GAS;
    return inBlock < MOST_GAS ? inBlock : MOST_GAS;
  }

  /** What is usual now; undefined when the base fee has reached `cap` (wei). */
  async fees(cap: bigint): Promise<Fees | undefined> {
    const provider = await this.connection.open();
    const [block, priority] = await Promise.all([provider.getBlock('latest'), priorityFee(provider)]);
    return feesFor(block?.baseFeePerGas ?? 0n, priority, cap);
  }

  /** Hands a transaction to the server. @throws whatever it says, see `outcomeOf` */
  async send(raw: string): Promise<void> {
    const provider = await this.connection.open();
    await provider.send('eth_sendRawTransaction', [raw]);
  }

  /**
   * What a transaction cost, wei; undefined when no block has it, or the server does not tell: it is good to know, and nothing may wait for
   * it for as long as a server builds its index, or for good where old receipts were pruned.
   * @throws ethers' errors when nobody answers, or has too many questions just now
   */
  async costOf(hash: string): Promise<bigint | undefined> {
    const provider = await this.connection.open();
    const asked = provider.send('eth_getTransactionReceipt', [hash]) as Promise<Partial<RpcReceipt> | null>;
    const answer = await asked.catch((error: unknown) => {
      if (isBusy(error) && ++this.costsRefused < COST_PATIENCE) throw error;
      return undefinedIfUnreadable(error);
    });
    if (answer !== undefined) this.costsRefused = 0;
    const { gasUsed, effectiveGasPrice } = answer ?? {};
    if (gasUsed === undefined || effectiveGasPrice === undefined) return undefined;
    return BigInt(gasUsed) * BigInt(effectiveGasPrice);
  }
}

/** Whether a server would have had the answer at a quieter time. */
function isBusy(error: unknown): boolean {
  if (!isError(error, 'UNKNOWN_ERROR') && !isError(error, 'BAD_DATA')) return false;
  const { error: said, value } = error as { error?: unknown; value?: unknown };
  return BUSY.test(JSON.stringify([said, value]));
}

/** For a token that does not know the question; a node that refuses to ask it has no answer. */
function falseIfUnknown(error: unknown): false | undefined {
  return isUnknownCall(error) ? false : undefinedIfUnreadable(error);
}
