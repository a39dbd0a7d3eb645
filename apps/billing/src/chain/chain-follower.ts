import { ChainMovedError } from './block';
import type { BlockHeader, BlockRef, ChainStep, SettlementEvent } from './block';
import type { ChainReader } from './chain-reader';
import type { EventReader } from './event-reader';

/** How many blocks are kept to find a common ancestor with, besides the safe one: a reorganisation deeper than all is a new chain. */
export const BLOCKS_KEPT = 256;
/** How far back a chain that was never followed is searched for events. */
const FIRST_SEARCH_BLOCKS = 10_000;
const HEADERS_AT_ONCE = 16;

/** Finds out how the chain went on since the blocks that are known. */
export class ChainFollower {
  constructor(
    private readonly reader: Pick<ChainReader, 'header'>,
    private readonly events: Pick<EventReader, 'between' | 'inBlocks'>,
  ) {}

  /**
   * The way from what is known to `head`.
   * @param known recent blocks, newest first
   * @throws ChainMovedError when the chain changes meanwhile; ethers' errors when it does not answer
   */
  async stepTo(head: BlockHeader, known: readonly BlockRef[]): Promise<ChainStep> {
    const index = await this.ancestorIndex(head, known);
    const ancestor = known[index];
    const headers = await this.headersAbove(ancestor, head);
    const lowest = headers[0] ?? head;
    const searchFrom = ancestor ? ancestor.number + 1 : Math.max(0, head.number - FIRST_SEARCH_BLOCKS);
    const older = searchFrom < lowest.number ? await this.events.between(searchFrom, lowest.number - 1) : [];
    const recent = await this.recentEvents(headers, head);
    requireOnChain(recent, headers);
    return { ancestor, dropped: index, headers, events: [...older, ...recent] };
  }

  private async recentEvents(
    headers: readonly BlockHeader[],
    head: BlockHeader,
  ): Promise<readonly SettlementEvent[]> {
    try {
      return await this.events.inBlocks(headers);
    } catch (error) {
      if ((await this.reader.header(head.number))?.hash === head.hash) throw error;
      throw new ChainMovedError(`block ${head.number} is no longer on the chain`);
    }
  }

  /** The place of the newest known block that is on the head's chain; one past the last when none is. */
  private async ancestorIndex(head: BlockHeader, known: readonly BlockRef[]): Promise<number> {
    const [newest] = known;
    if (newest && newest.hash === head.parentHash) return 0;
    for (const [index, block] of known.entries()) {
      if (block.number > head.number) continue;
      const now = block.number === head.number ? head : await this.reader.header(block.number);
      // The head lies above it: a server that has no block there lags behind the one that told the head.
      if (!now) throw new ChainMovedError(`no block ${block.number} below head ${head.number}`);
      if (now.hash === block.hash) return index;
    }
    return known.length;
  }

  /** Headers from the ancestor's child to the head, as far as they are kept; each the parent of the next. */
  private async headersAbove(ancestor: BlockRef | undefined, head: BlockHeader): Promise<BlockHeader[]> {
    if (ancestor?.hash === head.hash) return [];
    const lowest = Math.max(0, (ancestor?.number ?? -1) + 1, head.number - BLOCKS_KEPT + 1);
    const headers: BlockHeader[] = [];
    for (let number = lowest; number < head.number; number += HEADERS_AT_ONCE) {
      const count = Math.min(HEADERS_AT_ONCE, head.number - number);
      const read = await Promise.all(
        Array.from({ length: count }, (_, index) => this.reader.header(number + index)),
      );
      for (const header of read) {
        if (!header) throw new ChainMovedError('the chain became shorter');
        headers.push(header);
      }
    }
    headers.push(head);
    let parent = ancestor && ancestor.number + 1 === lowest ? ancestor : undefined;
    for (const header of headers) {
      if (parent && header.parentHash !== parent.hash) {
        throw new ChainMovedError(`block ${header.number} has another parent now`);
      }
      parent = header;
    }
    return headers;
  }
}

function requireOnChain(events: readonly SettlementEvent[], headers: readonly BlockHeader[]): void {
  const hashes = new Set(headers.map(({ hash }) => hash));
  const stray = events.find(({ block }) => !hashes.has(block.hash));
  if (stray) throw new ChainMovedError(`an event came from another block ${stray.block.number}`);
}
