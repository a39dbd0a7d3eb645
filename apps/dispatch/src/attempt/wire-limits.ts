import { InvalidReplyError } from '../validation/invalid-reply.error';

/** A token in a chunk of its own, with twenty log probabilities, is some 3 kB. */
const MOST_WIRE_BYTES_PER_TOKEN = 4 * 1024;
const BYTES_BASE = 1024 * 1024;
/** Pieces in which it may come, and events: each costs some microseconds, however small. */
const PIECES_PER_TOKEN = 16;
const PIECES_BASE = 64 * 1024;

/** How much of a reply of `maxTokens` tokens is read, whatever is in it. */
export class WireLimits {
  private readonly maxBytes: number;
  private readonly maxPieces: number;
  private bytes = 0;
  private pieces = 0;

  constructor(maxTokens: number, mostBytes = Infinity) {
    this.maxBytes = Math.min(BYTES_BASE + maxTokens * MOST_WIRE_BYTES_PER_TOKEN, mostBytes);
    this.maxPieces = PIECES_BASE + maxTokens * PIECES_PER_TOKEN;
  }

  /** `bytes` more bytes have come, in `pieces` pieces. @throws InvalidReplyError too_large, too_many_chunks */
  count(bytes: number, pieces: number): void {
    this.bytes += bytes;
    if (this.bytes > this.maxBytes) throw new InvalidReplyError('too_large');
    this.pieces += pieces;
    if (this.pieces > this.maxPieces) throw new InvalidReplyError('too_many_chunks');
  }
}
