/**
 * Several messages for inboxes of one process in one: per message
 *
 *     byte 0       length of the inbox's token
 *     token        ASCII
 *     4 bytes      length of the payload, unsigned big-endian
 *     payload
 *
 * sent to `BUNDLE_TOKEN` beside the inboxes.
 */
export const BUNDLE_TOKEN = 'BUNDLE';
/** As one byte can say. */
export const MOST_TOKEN_CHARS = 0xff;

const LENGTH_BYTES = 4;

/** Messages on their way into one bundle. */
export class Bundle {
  private readonly parts: Uint8Array[] = [];
  private readonly tokens: string[] = [];
  /** As they will be written. */
  bytes = 0;

  add(token: string, payload: Uint8Array): void {
    this.tokens.push(token);
    this.parts.push(payload);
    this.bytes += 1 + token.length + LENGTH_BYTES + payload.length;
  }

  /** The only message, where there is but one. */
  get only(): { token: string; payload: Uint8Array } | undefined {
    const [token, ...others] = this.tokens;
    const [payload] = this.parts;
    return token !== undefined && payload && others.length === 0 ? { token, payload } : undefined;
  }

  encode(): Buffer {
    const bytes = Buffer.allocUnsafe(this.bytes);
    let at = 0;
    for (const [index, payload] of this.parts.entries()) {
      const token = this.tokens[index] ?? '';
      at = bytes.writeUInt8(token.length, at);
      at += bytes.write(token, at, 'latin1');
      at = bytes.writeUInt32BE(payload.length, at);
      bytes.set(payload, at);
      at += payload.length;
    }
    return bytes;
  }
}

/** Takes a bundle apart, as far as it is one. */
export function readBundle(data: Uint8Array, take: (token: string, payload: Uint8Array) => void): void {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  let at = 0;
  while (at < bytes.length) {
    const payloadAt = at + 1 + (bytes[at] ?? 0) + LENGTH_BYTES;
    if (payloadAt > bytes.length) return;
    const end = payloadAt + bytes.readUInt32BE(payloadAt - LENGTH_BYTES);
    if (end > bytes.length) return;
    take(bytes.toString('latin1', at + 1, payloadAt - LENGTH_BYTES), bytes.subarray(payloadAt, end));
    at = end;
  }
}
