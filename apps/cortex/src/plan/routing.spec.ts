import fc from 'fast-check';
import { MOST_PASSED_OVER } from '@svc/contracts';
import type { CreatePlanRequest, RoutingTerms } from '@svc/contracts';
import { MODEL, eligible, many, planRequest, planned, planner } from './plan-market.for-spec';
import type { Offered } from './plan-market.for-spec';

const [A, B, C] = ['svc/a@1', 'svc/b@1', 'svc/c@1'] as const;

function routed(
  terms: Partial<RoutingTerms> = {},
  changes: Partial<CreatePlanRequest> = {},
): CreatePlanRequest {
  const routing = {
    candidates: [A, B, C],
    maxInputPricePerMtok: '1000',
    maxOutputPricePerMtok: '1000',
    ...terms,
  };
  return planRequest({ model: 'svc/cortex@1', routing, ...changes });
}

const anyMarket = fc
  .uniqueArray(
    fc.record({
      offerId: fc.string({ minLength: 1, maxLength: 8 }),
      model: fc.constantFrom(A, B, C, MODEL),
      mapping: fc.option(fc.constant('vendor'), { nil: undefined, freq: 3 }),
      input: fc.bigInt(0n, 2_000n),
      output: fc.bigInt(0n, 2_000n),
      concurrency: fc.integer({ min: 1, max: 100 }),
      errorRate: fc.double({ min: 0, max: 1, noNaN: true }),
      inFlight: fc.nat(120),
    }),
    { selector: ({ offerId }) => offerId, maxLength: 20 },
  )
  .map((all): Offered[] =>
    all.map(({ mapping, ...offer }) => (mapping === undefined ? offer : { ...offer, mapping })),
  );

describe('a plan for the routing model', () => {
  it('begins with the model whose best offer is best, two offers of each', async () => {
    const offers = [
      { offerId: 'a1', model: A, input: 100n },
      { offerId: 'a2', model: A, input: 101n },
      { offerId: 'a3', model: A, input: 102n },
      { offerId: 'b1', model: B, input: 10n },
      { offerId: 'b2', model: B, input: 11n },
      { offerId: 'b3', model: B, input: 12n },
    ];
    for (let index = 0; index < 50; index++) {
      const { attempts } = await planner(offers)(routed({}, { requestId: `req_${index}` }));
      expect(attempts.map(({ model }) => model)).toEqual([B, B, A, A]);
    }
  });

  it('tries more of a model when there is no other', async () => {
    const offers = ['1', '2', '3', '4', '5'].map((digit) => ({
      offerId: `a${digit}`,
      model: A,
      input: 100n,
      provider: `0x${digit.repeat(40)}`,
    }));
    expect(await planned(offers, routed())).toHaveLength(4);
  });

  it('tries all that work before what fails or is full, of whichever model', async () => {
    const offers = [
      { offerId: 'a-full', model: A, input: 1n, inFlight: 4 },
      { offerId: 'c-failing', model: C, input: 1n, errorRate: 0.9 },
      { offerId: 'b-works', model: B, input: 900n },
      { offerId: 'c-works', model: C, input: 100n },
    ];
    expect(await planned(offers, routed())).toEqual(['c-works', 'b-works', 'c-failing', 'a-full']);
  });

  it('tries all of one model that work before one of another that fails', async () => {
    const offers = [
      { offerId: 'b-failing', model: B, input: 1n, errorRate: 0.9 },
      ...['1', '2', '3', '4', '5'].map((digit) => ({
        offerId: `a${digit}`,
        model: A,
        input: 100n,
        provider: `0x${digit.repeat(40)}`,
      })),
    ];
    const plan = await planned(offers, routed());
    expect(plan).toHaveLength(4);
    expect(plan).not.toContain('b-failing');
    expect((await planned(offers.slice(0, 4), routed())).at(-1)).toBe('b-failing');
  });

  it('tries one that fails of another model before a third of the same', async () => {
    const offers = [
      ...['a1', 'a2'].map((offerId) => ({ offerId, model: A, input: 100n })),
      { offerId: 'a-failing', model: A, input: 1n, errorRate: 0.9 },
      { offerId: 'b-failing', model: B, input: 900n, errorRate: 0.9 },
    ];
    expect((await planned(offers, routed())).slice(2)).toEqual(['b-failing', 'a-failing']);
  });

  it.each([16, 17, 64])(
    'looks at a few offers of each of %i models, and at two providers of each',
    (models) => {
      const candidates = Array.from({ length: models }, (_, index) => `svc/m${index}@1`);
      const offers = candidates.flatMap((model) => [
        ...many(6, { model }).map((each) => ({ ...each, offerId: `${model} ${each.offerId}` })),
        ...['b', 'c', 'd'].map((digit) => ({
          offerId: `${model} ${digit}`,
          model,
          input: 2n,
          provider: `0x${digit.repeat(40)}`,
        })),
      ]);
      const found = eligible(offers, routed({ candidates })).candidates.map(({ offerId }) => offerId);
      const expected = ['many_0', 'many_1', 'b', 'c'];
      expect(found).toEqual(candidates.flatMap((model) => expected.map((name) => `${model} ${name}`)));
    },
  );

  it('does not measure one model by the prices of another', async () => {
    const offers = [
      { offerId: 'small', model: A, input: 1n },
      { offerId: 'large', model: B, input: 900n },
    ];
    expect(await planned(offers, routed())).toEqual(['small', 'large']);
  });

  it('says whom the ceiling kept out, also when that leaves nobody', async () => {
    const offers = [{ offerId: 'dear', model: A, input: 100n, output: 1_001n }];
    expect(await planner(offers)(routed())).toEqual({
      attempts: [],
      passedOver: [{ offerId: 'dear', why: 'above the ceiling: asks 100 in, 1001 out per million tokens' }],
      retryAfterSeconds: 30,
    });
    const { aboveCeiling } = eligible(many(100, { model: A, input: 1_001n }), routed());
    expect(aboveCeiling).toHaveLength(MOST_PASSED_OVER);
    // Also where its provider has cheap ones enough.
    expect(eligible([...many(10, { model: A }), ...offers], routed()).aboveCeiling).toHaveLength(1);
  });

  it('never uses an offer above the ceiling, nor a model that is no candidate', async () => {
    const prices = fc.bigInt(0n, 2_000n).map(String);
    await fc.assert(
      fc.asyncProperty(anyMarket, prices, prices, async (offers, maxInput, maxOutput) => {
        const request = routed({
          candidates: [A, B],
          maxInputPricePerMtok: maxInput,
          maxOutputPricePerMtok: maxOutput,
        });
        const { attempts } = await planner(offers)(request);
        expect((await planner([...offers].reverse())(request)).attempts).toEqual(attempts);
        for (const { model, inputPricePerMtok, outputPricePerMtok } of attempts) {
          expect([A, B]).toContain(model);
          expect(BigInt(inputPricePerMtok) <= BigInt(maxInput)).toBe(true);
          expect(BigInt(outputPricePerMtok) <= BigInt(maxOutput)).toBe(true);
        }
      }),
    );
  });
});

describe('a plan for a named model', () => {
  it('has never an offer of another, in either environment', async () => {
    const anyEnvironment = fc.constantFrom('testnet' as const, 'production' as const);
    await fc.assert(
      fc.asyncProperty(anyMarket, anyEnvironment, async (offers, environment) => {
        const { attempts } = await planner(offers, environment)();
        expect(attempts.filter(({ model }) => model !== MODEL)).toEqual([]);
      }),
    );
  });
});

describe('managed vendors', () => {
  const vendor = (mapping: string, model: string, input: bigint, more: Partial<Offered> = {}): Offered => ({
    offerId: `managed-${mapping}`,
    mapping,
    model,
    input,
    ...more,
  });

  it('come after the marketplace, the cheapest first, two at most, and are no measure for prices', async () => {
    const offers = [
      { offerId: 'own', input: 100n },
      vendor('dear', MODEL, 10_000n),
      vendor('dearest', MODEL, 20_000n),
      vendor('cheap', MODEL, 1n),
    ];
    const { attempts } = await planner(offers, 'production')();
    expect(attempts.map(({ offerId, mapping }) => [offerId, mapping])).toEqual([
      ['own', undefined],
      ['managed-cheap', 'cheap'],
      ['managed-dear', 'dear'],
    ]);
    expect(attempts[1]?.why).toMatch(/^managed vendor, asked when no provider could: 1 base units at most, /);
  });

  it('answer alone when nobody else can', async () => {
    const { attempts, retryAfterSeconds } = await planner([vendor('v', MODEL, 1n)], 'production')();
    expect(attempts).toMatchObject([{ offerId: 'managed-v', mapping: 'v' }]);
    expect(attempts[0]?.why).toMatch(/^managed vendor, no provider can take the request: /);
    expect(retryAfterSeconds).toBeUndefined();
  });

  it('stand behind each other while they fail', async () => {
    const offers = [vendor('down', MODEL, 1n, { errorRate: 0.9 }), vendor('up', MODEL, 2n)];
    expect(await planned(offers, planRequest(), 'production')).toEqual(['managed-up', 'managed-down']);
  });

  it('answer requests to the routing model on the test network, below its ceiling, and named ones in production', async () => {
    const offers = [vendor('a', A, 1_000n), vendor('b', B, 1_001n), vendor('named', MODEL, 1n)];
    expect(await planned(offers, routed(), 'testnet')).toEqual(['managed-a']);
    expect(await planned(offers, planRequest(), 'testnet')).toEqual([]);
    expect(await planned(offers, planRequest(), 'production')).toEqual(['managed-named']);
    expect(await planned(offers, routed(), 'production')).toEqual([]);
  });

  it('come last in every plan', async () => {
    await fc.assert(
      fc.asyncProperty(anyMarket, async (offers) => {
        const { attempts } = await planner(offers)(routed());
        const managed = attempts.map(({ mapping }) => mapping !== undefined);
        expect(managed).toEqual([...managed].sort((a, b) => Number(a) - Number(b)));
        expect(managed.filter(Boolean).length).toBeLessThanOrEqual(2);
        expect(managed.filter((each) => !each).length).toBeLessThanOrEqual(4);
      }),
    );
  });
});
