import { Utf8Text, utf8Of } from './utf8-text';

const TEXT = 'a £ é 漢 🙂 \ufffd \u0000 \u{10ffff} \ufeff z';

function read(bytes: Buffer, pieceLength: number): string {
  const text = new Utf8Text();
  let all = '';
  for (let at = 0; at < bytes.length; at += pieceLength)
    all += text.read(bytes.subarray(at, at + pieceLength));
  text.end();
  return all;
}

describe('Utf8Text', () => {
  const bytes = Buffer.from(TEXT);

  it('reads UTF-8 cut anywhere', () => {
    for (let length = 1; length <= bytes.length; length++) expect(read(bytes, length)).toBe(TEXT);
    expect(utf8Of(bytes)).toBe(TEXT);
    expect(read(Buffer.alloc(0), 1)).toBe('');
  });

  it.each([
    ['a byte that is none', [0x61, 0xff]],
    ['a character without its beginning', [0x80, 0x61]],
    ['one without its end', [0x61, 0xe6, 0xbc]],
    ['one that is cut by another', [0xe6, 0x61, 0xa2]],
    ['half of one before another', [0xe4, 0xb8, 0x61]],
    ['a byte that is none between others', [0x61, 0xff, 0x61]],
    ['the beginning of five bytes', [0xf8, 0x88, 0x80, 0x80, 0x80]],
    ['one that is longer than it need be', [0xc0, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['what is beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['a row of inner bytes', [0x80, 0x80, 0x80, 0x80, 0x80]],
  ])('refuses %s, cut anywhere', (_, wrong) => {
    const broken = Buffer.concat([bytes, Buffer.from(wrong)]);
    for (let length = 1; length <= broken.length; length++) {
      expect(() => read(broken, length)).toThrow('not_utf8');
    }
    expect(() => utf8Of(broken)).toThrow('not_utf8');
  });
});
