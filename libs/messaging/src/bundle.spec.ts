import { Bundle, readBundle } from './bundle';

function read(bytes: Uint8Array): [string, string][] {
  const found: [string, string][] = [];
  readBundle(bytes, (token, payload) => found.push([token, Buffer.from(payload).toString()]));
  return found;
}

describe('Bundle', () => {
  it('holds messages for several inboxes, in order', () => {
    const bundle = new Bundle();
    const messages: [string, string][] = [
      ['0', 'first'],
      ['zz', ''],
      ['0', 'ünd'],
      ['a', ''],
    ];
    for (const [token, text] of messages) bundle.add(token, Buffer.from(text));
    const bytes = bundle.encode();
    expect(bytes).toHaveLength(bundle.bytes);
    expect(read(bytes)).toEqual(messages);
  });

  it('is the same bytes for every version', () => {
    const bundle = new Bundle();
    bundle.add('a', Buffer.from('x'));
    bundle.add('zz', Buffer.alloc(258, 'y'));
    expect(bundle.encode().toString('latin1')).toBe(`\x01a\0\0\0\x01x\x02zz\0\0\x01\x02${'y'.repeat(258)}`);
  });

  it('is read as far as it is one', () => {
    const bundle = new Bundle();
    bundle.add('a', Buffer.from('whole'));
    bundle.add('b', Buffer.from('cut'));
    const bytes = bundle.encode();
    for (let length = 0; length < bytes.length; length++) {
      const found = read(bytes.subarray(0, length));
      expect(found).toEqual(length < 11 ? [] : [['a', 'whole']]);
    }
    expect(read(Buffer.from('no bundle at all'))).toEqual([]);
  });
});
