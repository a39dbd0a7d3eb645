/** Most replies fit into the first. */
const FIRST_BLOCK_BYTES = 4 * 1024;
const BLOCK_BYTES = 64 * 1024;

/**
 * Bytes that come in pieces of any size, copied together: a piece is a view of all that was read at once, and would keep that
 * alive.
 */
export class GatheredBytes {
  private readonly blocks: Buffer[] = [];
  private used = 0;
  private bytes = 0;

  get length(): number {
    return this.bytes;
  }

  add(piece: Buffer): void {
    this.bytes += piece.length;
    let copied = 0;
    while (copied < piece.length) {
      let last = this.blocks.at(-1);
      if (!last || this.used === last.length) {
        last = Buffer.allocUnsafeSlow(this.blocks.length === 0 ? FIRST_BLOCK_BYTES : BLOCK_BYTES);
        this.blocks.push(last);
        this.used = 0;
      }
      const count = piece.copy(last, this.used, copied);
      this.used += count;
      copied += count;
    }
  }

  concat(): Buffer {
    return Buffer.concat(this.blocks, this.bytes);
  }
}
