import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Times as long as the piece took. */
const REST = 3;
/** Pieces are meant to be short; one that is not is no reason to fall behind. */
const LONGEST_REST_MS = 1_000;

/**
 * How long work in the background rests after one of its pieces, ms: the ledger goes first, and what waits is done later.
 * `startedMs` is when the piece began, by `performance.now()`.
 */
export function restAfter(startedMs: number): number {
  return Math.min(REST * (performance.now() - startedMs), LONGEST_REST_MS);
}

/** The rests of work that may take long, and that the process waits for when it ends. */
@Injectable()
export class Rests {
  private readonly leaving = new AbortController();

  /** Whether the process ends. */
  get isLeaving(): boolean {
    return this.leaving.signal.aborted;
  }

  /** Between two pieces: see {@link restAfter}. */
  async after(startedMs: number): Promise<void> {
    const { signal } = this.leaving;
    await delay(restAfter(startedMs), undefined, { signal }).catch(() => undefined);
  }

  /** Does the work in pieces of at most `size`, one after the other, and rests after each. */
  async inPieces<Item>(
    items: readonly Item[],
    size: number,
    work: (piece: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    for (let from = 0; from < items.length; from += size) {
      const startedMs = performance.now();
      await work(items.slice(from, from + size));
      await this.after(startedMs);
    }
  }

  /** Before a piece of work that may as well be done after the next start. @throws AbortError when the process ends */
  throwIfLeaving(): void {
    this.leaving.signal.throwIfAborted();
  }

  /** No more rests, and the one under way is over: the process ends. */
  leave(): void {
    this.leaving.abort();
  }
}
