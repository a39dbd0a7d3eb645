import type { BlockHeader, BlockRef, ChainPosition, ChainStep } from './block';
import type { ChainFollower } from './chain-follower';
import type { ChainReader } from './chain-reader';
import type { ChainStore } from './chain.store';
import type { LimitStore } from './limit.store';

/** How many wallets are read a block, besides those for which a fall must count at once. */
const WALLETS_PER_BLOCK = 5_000;

interface ScanOptions {
  /** How many blocks the safe view lies below the head. */
  readonly confirmations: number;
  readonly walletsPerBlock?: number;
  /** Who owes less is read in turn, base units. */
  readonly leastDue?: bigint;
}

/**
 * Takes the chain in, step by step: blocks, events, and what wallets can spend, in one commit each. Wallets beyond
 * `walletsPerBlock` that have nothing held or owed have their turn in later blocks.
 */
export class ChainScanner {
  /** The last wallet that was read in its turn, and written. */
  private cursor = '';

  constructor(
    private readonly reader: ChainReader,
    private readonly follower: ChainFollower,
    private readonly store: ChainStore,
    private readonly limits: LimitStore,
    private readonly options: ScanOptions,
  ) {}

  head(): Promise<BlockHeader> {
    return this.reader.head();
  }

  position(): Promise<ChainPosition | undefined> {
    return this.store.position();
  }

  /**
   * Whether a head below the position is on the chain that is known, so that whoever told it lags. False where another block
   * stands in the place of a known one, and when none is known that far down.
   */
  async isBehind(head: BlockHeader): Promise<boolean> {
    const known = await this.store.newestUpTo(head.number);
    if (!known) return false;
    const now = known.number === head.number ? head : await this.reader.header(known.number);
    // Without a block below the head that was told, it is yet another server, and further behind.
    return now === undefined || now.hash === known.hash;
  }

  /**
   * Goes on from a position to a head.
   * @returns how many known blocks turned out to be no longer on the chain
   * @throws ChainMovedError when chain or position changed meanwhile
   */
  async readOn(from: ChainPosition | undefined, head: BlockHeader): Promise<number> {
    const known = withSafe(await this.store.blocks(), from);
    const step = await this.follower.stepTo(head, known);
    const safe = await this.safeBlock(head, [...step.headers, ...known.slice(step.dropped)]);
    const isDeep = !isAboveSafe(step, from, safe);
    const { wallets, cursor } = await this.walletsFor(step, isDeep);
    const limits = wallets.length === 0 ? [] : await this.reader.limits(wallets, { head, safe });
    const unreadable = limits.some((limit) => !limit.safe);
    const to = { head, safe: unreadable ? { ...safe, hash: undefined } : safe };
    await this.store.record(from, step, to, limits);
    // Only now: those that could not be read or written are the next again.
    this.cursor = cursor;
    return step.dropped;
  }

  /** Reads these wallets at the position's blocks. */
  async readWallets(wallets: readonly string[], position: ChainPosition): Promise<void> {
    await this.store.refresh(position, await this.reader.limits(wallets, position));
  }

  close(): void {
    this.reader.close();
  }

  private async safeBlock(head: BlockHeader, known: readonly BlockRef[]): Promise<ChainPosition['safe']> {
    const number = Math.max(0, head.number - this.options.confirmations);
    const block = known.find((each) => each.number === number) ?? (await this.reader.header(number));
    return { number, hash: block?.hash };
  }

  /** @param isDeep what was read at the safe depth may be wrong for anybody */
  private async walletsFor(step: ChainStep, isDeep: boolean): Promise<{ wallets: string[]; cursor: string }> {
    const { walletsPerBlock = WALLETS_PER_BLOCK, leastDue } = this.options;
    const most = isDeep ? Number.MAX_SAFE_INTEGER : walletsPerBlock;
    const { active, others } = await this.limits.toRead(isDeep ? '' : this.cursor, most, leastDue);
    const cursor = others.length < most ? '' : (others.at(-1) ?? '');
    const touched = step.events.flatMap(({ wallet }) => wallet ?? []);
    // In the order in which everybody locks wallets: one commit writes them in pieces.
    return { wallets: [...new Set([...active, ...others, ...touched])].sort(), cursor };
  }
}

/** The safe block too, which may lie deeper than those that are kept: what goes back to it is the same chain. */
function withSafe(kept: readonly BlockRef[], from: ChainPosition | undefined): readonly BlockRef[] {
  if (from?.safe.hash === undefined) return kept;
  const { number, hash } = from.safe;
  const lowest = kept.at(-1);
  return lowest === undefined || number < lowest.number ? [...kept, { number, hash }] : kept;
}

/**
 * Whether all that was dropped lies above the safe block, whose figures stay right then. Who had others at the head, as in blocks that are no
 * more, is read at each look anyway.
 */
function isAboveSafe(
  { ancestor, dropped }: ChainStep,
  from: ChainPosition | undefined,
  to: ChainPosition['safe'],
): boolean {
  // Where the safe block goes back, as it does for more confirmations than before too, figures that stay were read above it: they are not
  // those of that block, and the next reorganisation may reach them.
  if (from && to.number < from.safe.number) return false;
  if (dropped === 0) return true;
  if (ancestor === undefined || from?.safe.hash === undefined) return false;
  return ancestor.number >= from.safe.number;
}
