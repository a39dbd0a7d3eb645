import { isError } from 'ethers';
import type { Block, JsonRpcProvider, TransactionReceipt } from 'ethers';
import { StepError } from '../step-error';
import { waitUntil } from '../wait-until';
import { failureWords } from './chain-words';
import { isUnderWay, send } from './deployment';
import type { Place, SignedDeployment } from './deployment';

/** A contract that is there, or on its way. */
export interface Awaited {
  address: string;
  /** Hashes of what may have made it. */
  transactions: readonly string[];
  /** What makes it, where that is still open. */
  open?: Place;
  /** What this run has sent for it. */
  signed?: SignedDeployment;
}

interface Waiting {
  provider: JsonRpcProvider;
  /** How deep a block lies that is final, where the chain does not say. */
  confirmations: number;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** Servers are away for moments; one that is away for longer is no use waiting for. */
const MOST_FAILURES = 10;
/** A server may read nonce and code from different blocks: how many times in a row it must show that a nonce is used up for nothing. */
const TAKEN_BELIEVED_AFTER = 5;
/** A server with too many questions refuses this one like any other: how many times in a row it must show that it does not know what is final. */
const UNKNOWN_BELIEVED_AFTER = 5;

/**
 * Waits until the contract is in a block that is final. What the pool loses is sent again.
 * @returns its block; undefined where nobody knows the transaction any more
 * @throws StepError when something else used up the nonce; an AbortError once the signal is aborted
 */
export async function untilFinal(waiting: Waiting, awaited: Awaited): Promise<number | undefined> {
  const look = new Look(waiting, awaited);
  let failures = 0;
  const { block } = await waitUntil(async () => {
    try {
      const found = await look.take();
      failures = 0;
      return found;
    } catch (error) {
      if (error instanceof StepError || ++failures > MOST_FAILURES) throw error;
      look.tell(`the server at CHAIN_RPC_URL fails (${failureWords(error)}): tries again`);
      return undefined;
    }
  }, waiting.signal);
  return block;
}

/** Looks at the chain, however often, and says what is new. */
class Look {
  private told = '';
  private firstSeen: number | undefined;
  private takenSeen = 0;
  /** How often in a row the server has not said what is final; it may know, once it has said so. */
  private unknownSeen = 0;
  private isKnown = false;

  constructor(
    private readonly waiting: Waiting,
    private readonly awaited: Awaited,
  ) {}

  tell(line: string): void {
    if (line !== this.told) this.waiting.say(line);
    this.told = line;
  }

  /** @returns undefined while there is something to wait for */
  async take(): Promise<{ block: number | undefined } | undefined> {
    const { provider } = this.waiting;
    const { address, open } = this.awaited;
    const head = await newestBlock(provider);
    const [code, next] = await Promise.all([
      provider.getCode(address, head.hash),
      open ? provider.getTransactionCount(open.from, head.hash) : 0,
    ]);
    if (code !== '0x') return this.whetherFinal(head);
    this.firstSeen = undefined;
    this.takenSeen = open && next > open.nonce ? this.takenSeen + 1 : 0;
    if (open && this.takenSeen >= TAKEN_BELIEVED_AFTER) throw await this.notMade(open);
    this.tell((await this.keepUnderWay()) ?? 'waits for a block that has it');
    return undefined;
  }

  private async whetherFinal(head: Block): Promise<{ block: number | undefined } | undefined> {
    const { provider, confirmations } = this.waiting;
    const block = (await this.receipt())?.blockNumber;
    // A transaction that nobody knows came with the first block that was seen to have its contract, or before.
    this.firstSeen = block ?? this.firstSeen ?? head.number;
    const finalized = await finalizedBlock(provider);
    this.isKnown ||= finalized !== undefined;
    this.unknownSeen = finalized === undefined ? this.unknownSeen + 1 : 0;
    const isUnknown = !this.isKnown && this.unknownSeen >= UNKNOWN_BELIEVED_AFTER;
    const final = isUnknown ? head.number - confirmations : finalized;
    if (final !== undefined && this.firstSeen <= final) return { block };
    const rule = isUnknown ? `${confirmations} blocks lie above it` : 'the chain has finalized it';
    this.tell(`is in block ${this.firstSeen}; waits until ${rule}. May be ended and run again meanwhile`);
    return undefined;
  }

  /** Pools forget. @returns what hinders it, if anything */
  private async keepUnderWay(): Promise<string | undefined> {
    const { provider } = this.waiting;
    const { open, signed } = this.awaited;
    if (!open || (await isUnderWay(provider, open))) return undefined;
    if (!signed)
      throw new StepError('what it waited for is no longer on its way: run this again to send it anew');
    const refusal = await send(provider, signed);
    return (
      refusal && `the server at CHAIN_RPC_URL does not show it as waiting, and takes it no more: ${refusal}`
    );
  }

  private async notMade({ from, nonce }: Place): Promise<StepError> {
    const receipt = await this.receipt();
    const what =
      receipt?.status === 0
        ? `the transaction ${receipt.hash} failed in block ${receipt.blockNumber}`
        : `another transaction of the deployer ${from} has taken the place (nonce ${nonce})`;
    return new StepError(`${what}: nothing was deployed. Run this again to try anew`);
  }

  private async receipt(): Promise<TransactionReceipt | undefined> {
    const { transactions } = this.awaited;
    const receipts = await Promise.all(
      transactions.map((hash) => this.waiting.provider.getTransactionReceipt(hash)),
    );
    return receipts.find((receipt) => receipt !== null) ?? undefined;
  }
}

/** @throws Error when the chain has none */
export async function newestBlock(provider: JsonRpcProvider): Promise<Block & { hash: string }> {
  const block = await provider.getBlock('latest');
  if (!block?.hash) throw new StepError('the chain at CHAIN_RPC_URL has no block yet');
  return block as Block & { hash: string };
}

/** The number of the newest block that is never taken back; undefined where the server does not say it: it may not know the word. */
async function finalizedBlock(provider: JsonRpcProvider): Promise<number | undefined> {
  try {
    return (await provider.getBlock('finalized'))?.number;
  } catch (error) {
    if (isError(error, 'UNKNOWN_ERROR') || isError(error, 'UNSUPPORTED_OPERATION')) return undefined;
    throw error;
  }
}
