import { Utf8Decoder } from './utf8-decoder';

const text = 'a é 漢 🙂 \u{10ffff} \ufffd \ufeff z';

function decode(bytes: Buffer, size: number): string {
  const decoder = new Utf8Decoder();
  let decoded = '';
  for (let at = 0; at < bytes.length; at += size) decoded += decoder.write(bytes.subarray(at, at + size));
  decoder.end();
  return decoded;
}

describe('Utf8Decoder', () => {
  it.each([1, 2, 3, 4, 5, 7, 100])('gives the same text from pieces of %d bytes', (size) => {
    expect(decode(Buffer.from(text), size)).toBe(text);
    expect(decode(Buffer.alloc(0), size)).toBe('');
  });

  it.each([
    ['a byte that begins nothing', [0x61, 0xff, 0x61]],
    ['the middle of a character', [0x61, 0x80]],
    ['half a character before another', [0xe4, 0xb8, 0x61]],
    ['half a character at the end', [0x61, 0xe4, 0xb8]],
    ['a longer form than needed', [0xc0, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ['a byte that begins five', [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ])('refuses %s, however it is cut', (_, bytes) => {
    for (const size of [1, 2, 3, 100]) {
      expect(() => decode(Buffer.from(bytes), size)).toThrow(
        expect.objectContaining({ reason: 'invalid_utf8' }) as Error,
      );
    }
  });
});
