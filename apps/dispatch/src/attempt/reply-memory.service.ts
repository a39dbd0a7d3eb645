import { Injectable } from '@nestjs/common';
import { DispatchMetrics } from '../dispatch.metrics';

/** Whoever keeps a part of a reply until the rest of it has come. */
export interface ReplyHolder {
  /** Holds the most of all while there is no more room: lets go of it. */
  crowdOut(): void;
}

/** What all replies that are not whole yet may take together. Each has a limit of its own; many at once would have none. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

/**
 * Bounds the memory that providers fill. When it is full the largest reply goes: those who fill it are not served at the
 * expense of those who do not.
 */
@Injectable()
export class ReplyMemory {
  private readonly holders = new Map<ReplyHolder, number>();
  private heldBytes = 0;

  constructor(metrics: DispatchMetrics) {
    metrics.watchReplyMemory(() => this.heldBytes);
  }

  /** How many replies are counted. */
  get holderCount(): number {
    return this.holders.size;
  }

  /** The holder has `bytes` bytes now. */
  note(holder: ReplyHolder, bytes: number): void {
    // Who holds nothing is forgotten: nobody says so again once it is over.
    if (bytes === 0) return this.release(holder);
    this.heldBytes += bytes - (this.holders.get(holder) ?? 0);
    this.holders.set(holder, bytes);
    while (this.heldBytes > MAX_HELD_BYTES) {
      const largest = this.largest();
      this.release(largest);
      largest.crowdOut();
    }
  }

  release(holder: ReplyHolder): void {
    this.heldBytes -= this.holders.get(holder) ?? 0;
    this.holders.delete(holder);
  }

  private largest(): ReplyHolder {
    const [first] = [...this.holders].sort(([, a], [, b]) => b - a);
    if (!first) throw new RangeError('nobody holds what is held');
    return first[0];
  }
}
