import fc from 'fast-check';

/** Offers of every price and standing. */
export const anyCandidates = fc.uniqueArray(
  fc.record({
    offerId: fc.string({ minLength: 1, maxLength: 8 }),
    provider: fc.constantFrom('0xa', '0xb', '0xc', '0xd'),
    inputPricePerMtok: fc.bigInt(0n, 10n ** 12n),
    outputPricePerMtok: fc.bigInt(0n, 10n ** 12n),
    concurrency: fc.integer({ min: 1, max: 100 }),
    health: fc.record({
      errorRate: fc.double({ min: 0, max: 1, noNaN: true }),
      firstTokenMs: fc.option(fc.double({ min: 0, max: 100_000, noNaN: true }), { nil: undefined }),
      inFlight: fc.nat(200),
    }),
  }),
  { selector: ({ offerId }) => offerId, maxLength: 20 },
);

export const anyDemand = fc.record({ inputTokens: fc.nat(10 ** 9), outputTokens: fc.nat(10 ** 9) });
