import fc from 'fast-check';
import type { Candidate } from './candidate';
import { anyCandidates, candidate } from './candidates.for-spec';
import { MOST_TIMES_REFERENCE, WORKING_ERROR_RATE, highestFairPrice } from './price-outliers';

function offer(
  offerId: string,
  price: bigint,
  health: Partial<Candidate['health']> = {},
  fields: Partial<Omit<Candidate, 'health'>> = {},
): Candidate {
  return candidate(offerId, { price, concurrency: 4, ...health, ...fields });
}

const withoutOutliers = (offers: readonly Candidate[]) => {
  const fair = highestFairPrice(offers);
  return offers.filter(({ price }) => price <= fair);
};
const kept = (...offers: Candidate[]) => withoutOutliers(offers).map(({ offerId }) => offerId);

describe('highestFairPrice', () => {
  it('keeps what asks up to four times as much as the market', () => {
    const market = [offer('cheap', 90n), offer('usual', 100n)];
    expect(kept(offer('dear', 401n), offer('edge', 400n), ...market)).toEqual(['edge', 'cheap', 'usual']);
  });

  it('does so while the cheap one is full', () => {
    expect(kept(offer('honest', 400_000n, { inFlight: 4 }), offer('rogue', 10n ** 12n))).toEqual(['honest']);
  });

  it('lets nobody push others out who fails more than a tenth of its requests', () => {
    const failing = (errorRate: number) => kept(offer('failing', 1n, { errorRate }), offer('works', 100n));
    expect(failing(0.1)).toEqual(['failing']);
    expect(failing(0.11)).toEqual(['failing', 'works']);
  });

  it('holds all against the cheapest when none works', () => {
    expect(kept(offer('a', 1n, { errorRate: 0.5 }), offer('b', 100n, { errorRate: 1 }))).toEqual(['a']);
  });

  it('lets nobody push others out by a place or two far below the market', () => {
    const lure = offer('lure', 1n, {}, { concurrency: 1 });
    expect(kept(lure, offer('honest', 100n))).toEqual(['lure', 'honest']);
    const wide = offer('wide', 1n, {}, { concurrency: 512 });
    expect(kept(wide, offer('a', 100n), offer('b', 110n))).toEqual(['wide', 'a', 'b']);
    const [one, two] = ['1', '2'].map((id) => offer(`lure-${id}`, 1n, {}, { provider: 'lurer' }));
    if (!one || !two) throw new Error('no offers');
    expect(kept(one, two, offer('a', 100n), offer('b', 110n))).toEqual(['lure-1', 'lure-2', 'a', 'b']);
  });

  it('goes by what two fifths of the places ask, four of a provider’s at most', () => {
    const wide = offer('wide', 1n, {}, { concurrency: 512 });
    const others = (first: number, second: number) => [
      offer('a', 100n, {}, { concurrency: first }),
      offer('b', 110n, {}, { concurrency: second }),
    ];
    expect(kept(wide, ...others(3, 3))).toEqual(['wide']);
    expect(kept(wide, ...others(4, 3))).toEqual(['wide', 'a', 'b']);
  });

  it('never keeps what asks more than four times the dearest working price of others, nor leaves nobody', () => {
    fc.assert(
      fc.property(anyCandidates, (candidates) => {
        const left = withoutOutliers(candidates);
        const working = candidates.filter(({ health }) => health.errorRate <= WORKING_ERROR_RATE);
        const judges = working.length > 0 ? working : candidates;
        const prices = judges.map(({ price }) => price).sort((a, b) => (a < b ? -1 : 1));
        const [lowest = 0n, highest = 0n] = [prices.at(0), prices.at(-1)];
        for (const each of candidates) {
          const { price } = each;
          if (price <= lowest * MOST_TIMES_REFERENCE) expect(left).toContain(each);
          if (price > highest * MOST_TIMES_REFERENCE) expect(left).not.toContain(each);
        }
        // What is left out is dearer than all that is kept.
        const dearest = left.map(({ price }) => price).reduce((a, b) => (a > b ? a : b), 0n);
        for (const each of candidates.filter((one) => !left.includes(one))) {
          expect(each.price > dearest).toBe(true);
        }
        expect(left.length > 0).toBe(candidates.length > 0);
        expect(withoutOutliers([...candidates].reverse())).toEqual([...left].reverse());
      }),
    );
  });
});
