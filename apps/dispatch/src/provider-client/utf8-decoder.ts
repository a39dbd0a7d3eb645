import { isUtf8 } from 'node:buffer';
import { InvalidReplyError } from '../validation/invalid-reply.error';

const NOTHING = Buffer.alloc(0);
/** Bytes of the longest character. */
const LONGEST = 4;

/**
 * Text of bytes that come in pieces, cut anywhere. What is no UTF-8 is refused rather than replaced (WHATWG Encoding's "fatal"): a
 * client would take the replacement characters for the model's. A native check of each piece, where `TextDecoder` in its fatal mode
 * would be several times slower.
 */
export class Utf8Decoder {
  /** The beginning of a character whose end has not come. */
  private begun = NOTHING;

  /** @throws InvalidReplyError `invalid_utf8` */
  write(bytes: Buffer): string {
    const all = this.begun.length === 0 ? bytes : Buffer.concat([this.begun, bytes]);
    const cut = all.length - begunAtEnd(all);
    const whole = cut === all.length ? all : all.subarray(0, cut);
    if (!isUtf8(whole)) throw new InvalidReplyError('invalid_utf8');
    // A copy: the original is a part of a larger buffer.
    this.begun = cut === all.length ? NOTHING : Buffer.from(all.subarray(cut));
    return whole.toString('utf8');
  }

  /** There is no more to come. @throws InvalidReplyError `invalid_utf8` within a character */
  end(): void {
    if (this.begun.length > 0) throw new InvalidReplyError('invalid_utf8');
  }
}

/** How many bytes at the end may be the beginning of a character. */
function begunAtEnd(bytes: Buffer): number {
  for (let back = 1; back < LONGEST && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
  }
  return 0;
}

/** Of a character that begins with this byte. */
function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
