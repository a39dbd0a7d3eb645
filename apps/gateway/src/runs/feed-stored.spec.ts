import { randomBytes } from 'node:crypto';
import { RUN_CREDIT_BYTES } from '@svc/contracts';
import { feedStored } from './feed-stored';

/** A client that takes pieces and makes room when told. */
function client(reply: Buffer, eager: boolean) {
  const taken: Buffer[] = [];
  let ends = 0;
  let credit: (bytes: number) => void = () => undefined;
  feedStored(reply, (give) => {
    credit = give;
    return {
      data: (piece) => {
        taken.push(piece);
        if (eager) give(piece.length);
      },
      end: (piece) => {
        taken.push(piece);
        ends++;
      },
      fail: () => undefined,
      tick: () => undefined,
    };
  });
  return { bytes: () => Buffer.concat(taken), ends: () => ends, credit: (n: number) => credit(n) };
}

describe('feedStored', () => {
  it.each([0, 1, 64 * 1024, 64 * 1024 + 1, 3_000_000])(
    'gives %d bytes to a client that takes them',
    (length) => {
      const reply = randomBytes(length);
      const { bytes, ends } = client(reply, true);
      expect(bytes().equals(reply)).toBe(true);
      expect(ends()).toBe(1);
    },
  );

  it('waits for a client that takes nothing', () => {
    const reply = randomBytes(1_000_000);
    const { bytes, ends, credit } = client(reply, false);
    expect(bytes().length).toBeLessThanOrEqual(RUN_CREDIT_BYTES + 64 * 1024);
    for (let rounds = 0; rounds < 100 && ends() === 0; rounds++) credit(64 * 1024);
    expect(bytes().equals(reply)).toBe(true);
    credit(64 * 1024);
    expect(ends()).toBe(1);
  });
});
