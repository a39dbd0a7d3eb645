import fc from 'fast-check';
import type { Candidate } from './candidate';
import { hashOf } from './draw';

/** An offer at a price of 100, healthy and idle, with ten places. */
export function candidate(
  offerId: string,
  changes: Partial<Omit<Candidate, 'health'>> & Partial<Candidate['health']> = {},
): Candidate {
  const { errorRate = 0, firstTokenMs, inFlight = 0, ...terms } = changes;
  const health = { errorRate, firstTokenMs, inFlight };
  return {
    offerId,
    hash: hashOf(offerId),
    provider: offerId,
    price: 100n,
    concurrency: 10,
    cramped: false,
    ...terms,
    likelyPrice: terms.likelyPrice ?? terms.price ?? 100n,
    health,
  };
}

/** Offers of every price and standing. */
export const anyCandidates = fc
  .uniqueArray(
    fc.record({
      offerId: fc.string({ minLength: 1, maxLength: 8 }),
      provider: fc.constantFrom('0xa', '0xb', '0xc', '0xd'),
      price: fc.bigInt(0n, 10n ** 21n),
      concurrency: fc.integer({ min: 1, max: 100 }),
      cramped: fc.boolean(),
      errorRate: fc.double({ min: 0, max: 1, noNaN: true }),
      firstTokenMs: fc.option(fc.double({ min: 0, max: 100_000, noNaN: true }), { nil: undefined }),
      inFlight: fc.double({ min: 0, max: 200, noNaN: true }),
    }),
    { selector: ({ offerId }) => offerId, maxLength: 20 },
  )
  .map((all) => all.map(({ offerId, ...fields }) => candidate(offerId, fields)));

export const anySeed = fc.nat(2 ** 32 - 1);
