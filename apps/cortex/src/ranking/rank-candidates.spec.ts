import fc from 'fast-check';
import type { Candidate, Demand } from './candidate';
import { anyCandidates, anyDemand } from './candidates.for-spec';
import { FAILING_ERROR_RATE, rankCandidates } from './rank-candidates';

const demand: Demand = { inputTokens: 1_000, outputTokens: 500 };

function candidate(
  offerId: string,
  changes: Partial<Omit<Candidate, 'health'>> & Partial<Candidate['health']> = {},
) {
  const { errorRate = 0, firstTokenMs, inFlight = 0, ...terms } = changes;
  return {
    offerId,
    inputPricePerMtok: 100n,
    outputPricePerMtok: 400n,
    provider: '0xa',
    concurrency: 10,
    ...terms,
    health: { errorRate, firstTokenMs, inFlight },
  };
}

const ranked = (...candidates: Candidate[]) =>
  rankCandidates(candidates, demand).map(({ offerId }) => offerId);

describe('rankCandidates', () => {
  it('orders what it is given, losing and inventing nothing', () => {
    fc.assert(
      fc.property(anyCandidates, anyDemand, (candidates, asked) => {
        const before = [...candidates];
        const result = rankCandidates(candidates, asked);
        expect(new Set(result)).toEqual(new Set(candidates));
        expect(result).toHaveLength(candidates.length);
        expect(candidates).toEqual(before);
      }),
    );
  });

  it('gives the same order whatever order its input comes in', () => {
    const shuffled = anyCandidates.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, anyDemand, ([one, other], asked) => {
        expect(rankCandidates(other, asked)).toEqual(rankCandidates(one, asked));
      }),
    );
  });

  it('never tries a full offer before one with room, nor a failing one before one that works', () => {
    const tier = ({ health, concurrency }: Candidate) =>
      health.inFlight >= concurrency ? 2 : Number(health.errorRate >= FAILING_ERROR_RATE);
    fc.assert(
      fc.property(anyCandidates, anyDemand, (candidates, asked) => {
        const tiers = rankCandidates(candidates, asked).map(tier);
        expect(tiers).toEqual([...tiers].sort((a, b) => a - b));
      }),
    );
  });

  it('prefers the lower price for this very request', () => {
    const reader = candidate('reader', { inputPricePerMtok: 10n, outputPricePerMtok: 900n });
    const writer = candidate('writer', { inputPricePerMtok: 90n, outputPricePerMtok: 100n });
    const order = (inputTokens: number, outputTokens: number) =>
      rankCandidates([reader, writer], { inputTokens, outputTokens })[0]?.offerId;
    expect(order(100_000, 100)).toBe('reader');
    expect(order(100, 100_000)).toBe('writer');
  });

  it('puts an offer that keeps failing behind a dearer one that works, and keeps it', () => {
    expect(
      ranked(candidate('cheap', { errorRate: 0.5 }), candidate('dear', { outputPricePerMtok: 9_000n })),
    ).toEqual(['dear', 'cheap']);
  });

  it('puts full offers last, behind failing ones', () => {
    const full = candidate('full', { inFlight: 10 });
    expect(
      ranked(full, candidate('failing', { errorRate: 1 }), candidate('dear', { inputPricePerMtok: 10_000n })),
    ).toEqual(['dear', 'failing', 'full']);
  });

  it('lets a busy, a slow or a shaky offer win only by a lower price', () => {
    for (const burden of [{ inFlight: 9 }, { firstTokenMs: 8_000 }, { errorRate: 0.3 }]) {
      expect(ranked(candidate('a', burden), candidate('b'))).toEqual(['b', 'a']);
      const half = { inputPricePerMtok: 50n, outputPricePerMtok: 200n };
      expect(ranked(candidate('a', { ...burden, ...half }), candidate('b'))).toEqual(['a', 'b']);
    }
  });

  it('orders free offers by how they do', () => {
    const free = { inputPricePerMtok: 0n, outputPricePerMtok: 0n };
    expect(ranked(candidate('a', { ...free, inFlight: 5 }), candidate('b', free))).toEqual(['b', 'a']);
  });

  it('falls back on the id', () => {
    expect(ranked(candidate('b'), candidate('a'))).toEqual(['a', 'b']);
  });
});
