/** Most of what is gathered fits into the first. */
const FIRST_BLOCK_BYTES = 4 * 1024;
const BLOCK_BYTES = 64 * 1024;

/**
 * Bytes that come in pieces of any size, copied together: whoever sends them chooses how small a piece is, which takes some hundred bytes
 * beside what it holds, and may be a view of all that was read at once, which it would keep alive.
 */
export class GatheredBytes {
  private readonly blocks: Buffer[] = [];
  private used = 0;
  private bytes = 0;

  get length(): number {
    return this.bytes;
  }

  add(piece: Buffer): void {
    let copied = 0;
    while (copied < piece.length) {
      let last = this.blocks.at(-1);
      if (!last || this.used === last.length) {
        // No more room than is taken already: many may have little each.
        last = Buffer.allocUnsafeSlow(Math.min(Math.max(this.bytes, FIRST_BLOCK_BYTES), BLOCK_BYTES));
        this.blocks.push(last);
        this.used = 0;
      }
      const count = piece.copy(last, this.used, copied);
      this.used += count;
      copied += count;
      this.bytes += count;
    }
  }

  concat(): Buffer {
    return Buffer.concat(this.blocks, this.bytes);
  }
}
