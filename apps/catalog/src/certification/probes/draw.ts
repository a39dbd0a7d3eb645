import { createHash } from 'node:crypto';

const UINT_BYTES = 4;

/** Draws at random, the same from the same seed in the same order. */
export class Draw {
  private drawn = 0;

  /** @param seed nobody knows it who is asked */
  constructor(private readonly seed: string) {}

  /** A whole number from 0, below the limit. */
  below(limit: number): number {
    const digest = createHash('sha256').update(`${this.seed} ${this.drawn++}`).digest();
    return digest.readUIntBE(0, UINT_BYTES) % limit;
  }

  /** `count` different ones of a list, in an order of their own; at most all of it. */
  of<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    return Array.from({ length: Math.min(count, left.length) }, () =>
      left.splice(this.below(left.length), 1),
    ).flat();
  }
}
