const FIRST_BYTES = 4 * 1024;

/** Everything that was written of one reply, in one growing buffer. */
export class ReplyLog {
  private buffer = Buffer.alloc(0);
  private used = 0;

  get length(): number {
    return this.used;
  }

  append(bytes: Buffer): void {
    const needed = this.used + bytes.length;
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.buffer.length, FIRST_BYTES));
      this.buffer.copy(larger, 0, 0, this.used);
      this.buffer = larger;
    }
    bytes.copy(this.buffer, this.used);
    this.used = needed;
  }

  /** Bytes from `start` up to `end`; not to be changed. */
  slice(start: number, end: number): Buffer {
    return this.buffer.subarray(start, Math.min(end, this.used));
  }

  clear(): void {
    this.used = 0;
  }
}
