import fc from 'fast-check';
import { drawOf, hashOf } from './draw';

describe('drawOf', () => {
  it('is above 0 and below 1', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.nat(2 ** 32 - 1), (seed, hash) => {
        const draw = drawOf(seed, hash);
        expect(draw > 0 && draw < 1).toBe(true);
      }),
    );
  });

  it('is spread evenly over the requests, and over the offers', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `req_${index}`);
    for (const draws of [
      ids.map((id) => drawOf(hashOf(id), hashOf('offer_1'))),
      ids.map((id) => drawOf(hashOf('req_1'), hashOf(id))),
    ]) {
      const tenths = Array.from({ length: 10 }, () => 0);
      for (const draw of draws) tenths[Math.floor(draw * 10)]! += 1;
      for (const share of tenths) expect(Math.abs(share - 2_000)).toBeLessThan(200);
    }
  });

  it('gives one offer no hint of what it gives another', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `req_${index}`);
    const both = ids.filter((id) => {
      const seed = hashOf(id);
      return drawOf(seed, hashOf('offer_1')) < 0.5 && drawOf(seed, hashOf('offer_2')) < 0.5;
    });
    expect(Math.abs(both.length - 5_000)).toBeLessThan(300);
  });

  it.each([1, 2 ** 10, 2 ** 20])(
    'nor does it where half of what tells two offers apart is the same',
    (apart) => {
      const half = hashOf('offer_1') % 2 ** 32;
      const other = half + apart * 2 ** 32;
      const seeds = Array.from({ length: 20_000 }, (_, index) => hashOf(`req_${index}`));
      const both = seeds.filter((seed) => drawOf(seed, half) < 0.5 && drawOf(seed, other) < 0.5);
      expect(Math.abs(both.length - 5_000)).toBeLessThan(300);
      const before = seeds.filter((seed) => drawOf(seed, half) < drawOf(seed, other));
      expect(Math.abs(before.length - 10_000)).toBeLessThan(500);
    },
  );

  it('tells an offer from one whose id was looked for until its 32 bits of FNV-1a were the same', () => {
    const [one = 0, other = 0] = ['declinate', 'macallums'].map(hashOf);
    expect(one % 2 ** 32).toBe(other % 2 ** 32);
    expect([one, other].every(Number.isSafeInteger)).toBe(true);
    const seeds = Array.from({ length: 2_000 }, (_, index) => hashOf(`req_${index}`));
    const before = seeds.filter((seed) => drawOf(seed, one) < drawOf(seed, other));
    expect(Math.abs(before.length - 1_000)).toBeLessThan(150);
  });
});
