import fc from 'fast-check';
import type { Candidate } from './candidate';
import { anyCandidates, anyDemand } from './candidates.for-spec';
import { MOST_TIMES_REFERENCE, WORKING_ERROR_RATE, withoutPriceOutliers } from './price-outliers';
import { requestPrice } from './request-price';

const demand = { inputTokens: 1_000, outputTokens: 1_000 };

function offer(offerId: string, price: bigint, health: Partial<Candidate['health']> = {}): Candidate {
  return {
    offerId,
    inputPricePerMtok: price,
    outputPricePerMtok: price,
    concurrency: 4,
    health: { errorRate: 0, firstTokenMs: 100, inFlight: 0, ...health },
  };
}

const kept = (...offers: Candidate[]) => withoutPriceOutliers(offers, demand).map(({ offerId }) => offerId);

describe('withoutPriceOutliers', () => {
  it('keeps what asks up to four times as much as the cheapest that works', () => {
    expect(kept(offer('dear', 401n), offer('edge', 400n), offer('cheap', 100n))).toEqual(['edge', 'cheap']);
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

  it('never keeps what asks more than four times the reference, nor leaves nobody', () => {
    fc.assert(
      fc.property(anyCandidates, anyDemand, (candidates, asked) => {
        const left = withoutPriceOutliers(candidates, asked);
        const working = candidates.filter(({ health }) => health.errorRate <= WORKING_ERROR_RATE);
        const prices = (working.length > 0 ? working : candidates).map((each) => requestPrice(each, asked));
        const isTooDear = (each: Candidate) =>
          prices.some((price) => requestPrice(each, asked) > price * MOST_TIMES_REFERENCE);
        expect(left).toEqual(candidates.filter((each) => !isTooDear(each)));
        expect(left.length > 0).toBe(candidates.length > 0);
      }),
    );
  });
});
