import { isUtf8 } from 'node:buffer';
import { InvalidReplyError } from './invalid-reply.error';

const NOTHING = Buffer.alloc(0);

/** Reads UTF-8 that comes in pieces, cut anywhere. What is none is refused, not replaced: nobody knows what it should have been. */
export class Utf8Text {
  /** The beginning of a character whose end has not come. */
  private rest: Buffer = NOTHING;

  /** @throws InvalidReplyError not_utf8 */
  read(bytes: Buffer): string {
    const all = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const whole = wholeLength(all);
    // A copy: the original is a part of a larger buffer.
    this.rest = whole === all.length ? NOTHING : Buffer.from(all.subarray(whole));
    return utf8Of(whole === all.length ? all : all.subarray(0, whole));
  }

  /** There is no more to come. @throws InvalidReplyError not_utf8 */
  end(): void {
    if (this.rest.length > 0) throw new InvalidReplyError('not_utf8');
  }
}

/** @throws InvalidReplyError not_utf8 */
export function utf8Of(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new InvalidReplyError('not_utf8');
  return bytes.toString('utf8');
}

/** How many bytes there are before a last character that is not complete. */
function wholeLength(bytes: Buffer): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    // A byte within a character: its first one is further back.
    if ((byte & 0xc0) === 0x80) continue;
    return back < charLength(byte) ? length - back : length;
  }
  return length;
}

function charLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  if (firstByte >= 0xe0) return 3;
  return firstByte >= 0xc0 ? 2 : 1;
}
