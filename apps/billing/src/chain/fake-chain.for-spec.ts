import { ChainMovedError } from './block';
import type { BlockHeader, BlockRef, ChainPosition, ChainStep } from './block';
import { ChainFollower } from './chain-follower';
import type { ChainReader } from './chain-reader';
import { ChainScanner } from './chain-scanner';
import type { ChainStore } from './chain.store';
import type { WalletLimits } from './limit';
import type { LimitStore } from './limit.store';

const hashOf = (number: number, fork: string) => `${fork}${number}`;

/** A chain of numbers whose blocks are named after the fork they were made on, and what was written about it. */
export class FakeChain {
  error: Error | undefined;
  /** It changes while wallets are read. */
  movesMeanwhile = false;
  /** Another instance comes first with the next block. */
  isForestalled = false;
  readonly written: [wallet: string, head: bigint][] = [];
  readonly steps: ChainStep[] = [];
  /** How often figures were written without a step. */
  refreshes = 0;
  headsTold = 0;
  known: BlockRef[] = [];
  /** Older blocks that are known by their events, newest first. */
  withEvents: BlockRef[] = [];
  position: ChainPosition | undefined;
  isClosed = false;
  private blocks: string[] = [];

  constructor(length: number) {
    this.grow(length);
  }

  get head(): number {
    return this.blocks.length - 1;
  }

  /** Adds blocks, or takes them off. */
  grow(length: number, fork = 'a'): void {
    this.blocks = this.blocks.slice(0, length + 1);
    for (let number = this.blocks.length; number <= length; number++) this.blocks.push(hashOf(number, fork));
  }

  /** Replaces the newest blocks by as many and one more. */
  reorganise(depth: number, fork: string): void {
    const length = this.head;
    this.blocks = this.blocks.slice(0, this.blocks.length - depth);
    this.grow(length + 1, fork);
  }

  header(number: number): BlockHeader | undefined {
    const hash = this.blocks[number];
    if (hash === undefined) return undefined;
    return { number, hash, parentHash: this.blocks[number - 1] ?? '', timestamp: 1_000 + 2 * number };
  }

  scanner(wallets: string[], walletsPerBlock?: number, active: string[] = []): ChainScanner {
    const reader = {
      head: () => {
        this.headsTold++;
        return this.answer(this.header(this.head));
      },
      header: (number: number) => this.answer(this.header(number)),
      limits: (asked: readonly string[], { head }: ChainPosition) =>
        this.movesMeanwhile
          ? Promise.reject(new ChainMovedError(`block ${head.number} is no longer on the chain`))
          : this.answer(asked.map((wallet) => limitsAt(wallet, head.number))),
      close: () => void (this.isClosed = true),
    } as unknown as ChainReader;
    const store = {
      position: () => Promise.resolve(this.position),
      refresh: (_: unknown, limits: readonly WalletLimits[]) => {
        this.refreshes++;
        return this.write(limits);
      },
      blocks: () => Promise.resolve(this.known),
      newestUpTo: (number: number) =>
        Promise.resolve([...this.known, ...this.withEvents].find((block) => block.number <= number)),
      record: (_: unknown, step: ChainStep, to: ChainPosition, limits: readonly WalletLimits[]) => {
        if (this.isForestalled) {
          this.isForestalled = false;
          return Promise.reject(new ChainMovedError('the position was moved by another instance'));
        }
        this.steps.push(step);
        this.position = to;
        this.known = [...step.headers.toReversed(), ...this.known.slice(step.dropped)];
        return this.write(limits);
      },
    } as unknown as ChainStore;
    const limits = {
      toRead: (cursor: string, most: number) =>
        Promise.resolve({ active, others: wallets.filter((wallet) => wallet > cursor).slice(0, most) }),
    } as unknown as LimitStore;
    const follower = new ChainFollower(reader, {
      between: () => this.answer([]),
      inBlocks: () => this.answer([]),
    });
    return new ChainScanner(reader, follower, store, limits, { confirmations: 2, walletsPerBlock });
  }

  private write(rows: readonly WalletLimits[]): Promise<number> {
    this.written.push(...rows.map(({ wallet, head }) => [wallet, head.balance] as [string, bigint]));
    return Promise.resolve(rows.length);
  }

  private answer<T>(value: T): Promise<T> {
    return this.error ? Promise.reject(this.error) : Promise.resolve(value);
  }
}

function limitsAt(wallet: string, head: number): WalletLimits {
  const means = { balance: BigInt(head), allowance: BigInt(head), pulled: 0n };
  return { wallet, head: means, safe: means };
}
