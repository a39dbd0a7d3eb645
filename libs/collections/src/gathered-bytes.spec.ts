import { randomBytes } from 'node:crypto';
import { GatheredBytes } from './gathered-bytes';

describe('GatheredBytes', () => {
  it.each([1, 7, 4_096, 100_000])('are what came, in pieces of %i bytes', (pieceBytes) => {
    const all = randomBytes(300_001);
    const gathered = new GatheredBytes();
    for (let at = 0; at < all.length; at += pieceBytes) gathered.add(all.subarray(at, at + pieceBytes));
    expect(gathered.length).toBe(all.length);
    expect(gathered.concat().equals(all)).toBe(true);
  });

  it('are none at first', () => {
    const gathered = new GatheredBytes();
    gathered.add(Buffer.alloc(0));
    expect([gathered.length, gathered.concat()]).toEqual([0, Buffer.alloc(0)]);
  });

  it('are their own, whatever becomes of the pieces', () => {
    const piece = Buffer.from('ab');
    const gathered = new GatheredBytes();
    gathered.add(piece);
    piece.fill('x');
    expect(gathered.concat().toString()).toBe('ab');
  });
});
