import fc from 'fast-check';
import type { Candidate } from './candidate';
import { anyCandidates, anySeed, candidate } from './candidates.for-spec';
import { hashOf } from './draw';
import { TUNING, rankCandidates } from './rank-candidates';
import { likelyDemand, requestPrice } from './request-price';
import { tierOf } from './tier';

const PLANS = 4_000;

/** In which share of plans each comes first. */
function firstShares(...candidates: Candidate[]): Record<string, number> {
  const shares = Object.fromEntries(candidates.map(({ offerId }) => [offerId, 0]));
  for (let plan = 0; plan < PLANS; plan++) {
    const [first] = rankCandidates(candidates, hashOf(`req_${plan}`));
    if (first) shares[first.offerId] = (shares[first.offerId] ?? 0) + 1 / PLANS;
  }
  return shares;
}

const always = (...candidates: Candidate[]) =>
  fc.sample(anySeed, 50).every((seed) => {
    const order = rankCandidates([...candidates].reverse(), seed);
    return order.every((each, index) => each === candidates[index]);
  });

describe('rankCandidates', () => {
  it('orders what it is given, losing and inventing nothing', () => {
    fc.assert(
      fc.property(anyCandidates, anySeed, (candidates, seed) => {
        const before = [...candidates];
        const result = rankCandidates(candidates, seed);
        expect(new Set(result)).toEqual(new Set(candidates));
        expect(result).toHaveLength(candidates.length);
        expect(candidates).toEqual(before);
      }),
    );
  });

  it('gives a request the same order whatever order its input comes in', () => {
    const shuffled = anyCandidates.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, anySeed, ([one, other], seed) => {
        expect(rankCandidates(other, seed)).toEqual(rankCandidates(one, seed));
      }),
    );
  });

  it('never tries a full offer before one with room, nor a failing one before one that works', () => {
    fc.assert(
      fc.property(anyCandidates, anySeed, (candidates, seed) => {
        const tiers = rankCandidates(candidates, seed).map(tierOf);
        expect(tiers).toEqual([...tiers].sort((a, b) => a - b));
      }),
    );
  });

  it('puts failing offers behind dearer ones that work, full ones last, and keeps them', () => {
    const dear = candidate('dear', { price: 9_000n });
    const failing = candidate('failing', { errorRate: 1 });
    expect(always(dear, candidate('shaky', { errorRate: 0.4 }))).toBe(true);
    expect(always(dear, failing, candidate('full', { inFlight: 10 }))).toBe(true);
  });

  it('orders full ones by price, however full they are', () => {
    const full = candidate('full', { inFlight: 10 });
    const cheap = candidate('over', { inFlight: 100, price: 25n });
    expect(firstShares(full, cheap)['over']).toBeGreaterThan(0.99);
    expect(firstShares(full, candidate('over', { inFlight: 100 }))['over']).toBeCloseTo(0.5, 1);
  });

  it('puts one first that costs a quarter, all but always', () => {
    expect(firstShares(candidate('a', { price: 25n }), candidate('b'))['a']).toBeGreaterThan(0.999);
  });

  it('does not stampede the cheapest: one that is a tenth dearer has its share', () => {
    const { cheap = 0, dear = 0 } = firstShares(candidate('cheap'), candidate('dear', { price: 110n }));
    // Weights 1 and 1.1^-6.
    expect(cheap).toBeCloseTo(1 / (1 + 1.1 ** -TUNING.sharpness), 1);
    expect(dear).toBeGreaterThan(0.3);
  });

  it('spreads over equals: none gets more than a fifth above its share', () => {
    const offers = Array.from({ length: 8 }, (_, index) => candidate(`offer_${index}`));
    for (const share of Object.values(firstShares(...offers))) {
      expect(share).toBeGreaterThan(0.8 / 8);
      expect(share).toBeLessThan(1.2 / 8);
    }
  });

  it('gives more to whoever has more room, less than in proportion', () => {
    const { wide = 0 } = firstShares(candidate('wide', { concurrency: 40 }), candidate('narrow'));
    expect(wide).toBeCloseTo(2 / 3, 1);
  });

  it('hardly minds that a third of the places is taken', () => {
    const { taken = 0 } = firstShares(candidate('taken', { inFlight: 3 }), candidate('idle'));
    // Seven places free of ten, and a load of 0.3, squared.
    const weight = 0.7 ** TUNING.roominess / 1.09 ** TUNING.sharpness;
    expect(taken).toBeCloseTo(weight / (1 + weight), 1);
  });

  it('lets a busy, a slow or a shaky offer win by a lower price only', () => {
    for (const burden of [{ inFlight: 9 }, { firstTokenMs: 2_000 }, { errorRate: 0.3 }]) {
      const healthy = candidate('healthy');
      expect(firstShares(candidate('burdened', burden), healthy)['burdened']).toBeLessThan(0.1);
      const cheap = candidate('burdened', { ...burden, price: 15n });
      expect(firstShares(cheap, healthy)['burdened']).toBeGreaterThan(0.9);
    }
  });

  it('orders free offers by how they do', () => {
    const { idle = 0, slow = 0 } = firstShares(
      candidate('idle', { price: 0n }),
      candidate('slow', { price: 0n, firstTokenMs: 5_000 }),
      candidate('priced'),
    );
    expect(idle).toBeGreaterThan(0.99);
    expect(slow).toBeLessThan(0.01);
  });

  it('without chance goes by burdened price, then by id', () => {
    const byPrice = { ...TUNING, sharpness: Infinity };
    const offers = [candidate('b'), candidate('a'), candidate('c', { price: 99n })];
    expect(rankCandidates(offers, 1, byPrice).map(({ offerId }) => offerId)).toEqual(['c', 'a', 'b']);
  });

  it('minds a first token after a minute no more than one after ten seconds', () => {
    const byPrice = { ...TUNING, sharpness: Infinity };
    const [late, dear] = [candidate('late', { firstTokenMs: 60_000 }), candidate('dear', { price: 950n })];
    expect(rankCandidates([dear, late], 1, byPrice)).toEqual([late, dear]);
  });
});

describe('likelyDemand', () => {
  const priced = (inputPricePerMtok: bigint, outputPricePerMtok: bigint) => {
    const offer = { inputPricePerMtok, outputPricePerMtok };
    const demand = { inputTokens: 800, outputTokens: 16_384 };
    return { price: requestPrice(offer, demand), likelyPrice: requestPrice(offer, likelyDemand(demand)) };
  };

  it('does not put first what is cheap only for tokens that nobody writes', () => {
    const dearInput = candidate('dear-input', priced(4_000_000n, 500_000n));
    const even = candidate('even', priced(1_000_000n, 1_000_000n));
    expect(dearInput.price < even.price).toBe(true);
    const first = Array.from(
      { length: 500 },
      (_, seed) => rankCandidates([dearInput, even], hashOf(`${seed}`))[0],
    );
    expect(first.filter((each) => each === dearInput).length).toBeLessThan(10);
  });

  it('asks for no more than the request allows', () => {
    expect(likelyDemand({ inputTokens: 5, outputTokens: 40 })).toEqual({ inputTokens: 5, outputTokens: 40 });
  });

  it('is 512 tokens of output where far more are allowed', () => {
    const likely = { inputTokens: 5, outputTokens: 512 };
    expect(likelyDemand({ inputTokens: 5, outputTokens: 16_384 })).toEqual(likely);
  });
});
