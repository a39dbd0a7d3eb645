import { randomBytes } from 'node:crypto';
import { MAX_RESPONSE_PARTS, RESPONSE_PART_BYTES } from '@svc/contracts';
import { ResponseCipher, UnreadableResponseError } from './response-cipher';

const key = randomBytes(32).toString('base64');
const owner = { wallet: `0x${'a'.repeat(40)}`, holdId: 'req_1' };
const cipher = new ResponseCipher(key);

describe('ResponseCipher', () => {
  it.each([0, 1, 600, RESPONSE_PART_BYTES, 3 * RESPONSE_PART_BYTES + 7, ResponseCipher.MAX_BYTES])(
    'gives %d bytes back as they were',
    (length) => {
      const reply = randomBytes(length);
      const parts = cipher.seal(owner, reply);
      expect(parts.every((part) => part.length <= RESPONSE_PART_BYTES)).toBe(true);
      // No more than it takes: 29 bytes of each are the seal's own.
      expect(parts).toHaveLength(Math.max(1, Math.ceil(length / (RESPONSE_PART_BYTES - 29))));
      expect(cipher.open(owner, parts).equals(reply)).toBe(true);
    },
  );

  it('gives back what a version before has sealed', () => {
    const before = new ResponseCipher('07'.repeat(32));
    const part = 'j6v/2xck10Aco70GCzebkANiYvH8FA24se7Y7/8hrJreGuirkkc=';
    expect(before.open(owner, [Buffer.from(part, 'base64')]).toString()).toBe('the reply');
  });

  it('holds whatever a NATS message carries, and says when it is more', () => {
    expect(cipher.seal(owner, Buffer.alloc(ResponseCipher.MAX_BYTES))).toHaveLength(MAX_RESPONSE_PARTS);
    expect(ResponseCipher.MAX_BYTES).toBeGreaterThan(8 * 1024 * 1024);
    expect(() => cipher.seal(owner, Buffer.alloc(ResponseCipher.MAX_BYTES + 1))).toThrow(RangeError);
  });

  it('shows nothing of the reply, and not even that two are alike', () => {
    const reply = Buffer.from('the same words');
    const [first, second] = [cipher.seal(owner, reply)[0], cipher.seal(owner, reply)[0]];
    expect(first?.includes('same')).toBe(false);
    expect(first?.equals(second ?? Buffer.of())).toBe(false);
  });

  it('reads nothing that was changed, moved, cut or is another request’s', () => {
    const parts = cipher.seal(owner, randomBytes(2 * RESPONSE_PART_BYTES));
    const [one, two, three] = parts as [Buffer, Buffer, Buffer];
    const changed = Buffer.from(one);
    changed[20] = (changed[20] ?? 0) ^ 1;
    const refused: [typeof owner, Buffer[]][] = [
      [owner, [changed, two, three]],
      [owner, [two, one, three]],
      [owner, [one, two]],
      [owner, [one.subarray(0, 20)]],
      [owner, [one.subarray(0, 10)]],
      [owner, [Buffer.of()]],
      [{ ...owner, holdId: 'req_2' }, parts],
      [{ ...owner, wallet: `0x${'b'.repeat(40)}` }, parts],
    ];
    for (const [who, what] of refused) expect(() => cipher.open(who, what)).toThrow(UnreadableResponseError);
  });

  it('goes on reading under a previous key, and no longer', () => {
    const next = randomBytes(32).toString('hex');
    const parts = cipher.seal(owner, Buffer.from('old'));
    const rotated = new ResponseCipher(next, key);
    expect(rotated.open(owner, parts).toString()).toBe('old');
    expect(rotated.open(owner, rotated.seal(owner, Buffer.from('new'))).toString()).toBe('new');
    expect(() => new ResponseCipher(next).open(owner, parts)).toThrow(UnreadableResponseError);
  });

  it.each(['', 'short', 'x'.repeat(64), randomBytes(31).toString('base64'), randomBytes(33).toString('hex')])(
    'takes no other key: %s',
    (text) => {
      expect(() => new ResponseCipher(text)).toThrow(RangeError);
    },
  );
});
