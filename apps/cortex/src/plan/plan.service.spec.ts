import fc from 'fast-check';
import { MOST_PASSED_OVER, MOST_WHY_CHARS } from '@svc/contracts';
import { anyCandidates } from '../ranking/candidates.for-spec';
import { MOST_TIMES_REFERENCE, WORKING_ERROR_RATE } from '../ranking/price-outliers';
import { MOST_CANDIDATES } from './eligible-offers';
import { MOST_ATTEMPTS } from './pick-attempts';
import { MODEL, eligible, many, planRequest, planned, planner } from './plan-market.for-spec';
import type { Offered } from './plan-market.for-spec';
import { retryAfterSeconds } from './retry-after';

const walletOf = (index: number): string => `0x${index.toString(16).padStart(40, '0')}`;

const anyOffers = anyCandidates.map((all) =>
  all.map(({ offerId, price, concurrency, health }) => ({
    offerId,
    input: price / 10n ** 9n,
    concurrency,
    ...health,
  })),
);

describe('PlanService', () => {
  it.each([0, 4])(
    'does not plan one at the highest price beside an honest one with %i under way',
    async (inFlight) => {
      const honest = { offerId: 'honest', input: 400_000n, inFlight };
      const rogue = { offerId: 'rogue', input: 10n ** 12n, concurrency: 1_024 };
      expect(await planned([honest, rogue])).toEqual(['honest']);
      expect(await planned([rogue])).toEqual(['rogue']);
    },
  );

  it('tries two offers of a provider before those of others, and more when there are no others', async () => {
    const own = many(6, { provider: `0x${'b'.repeat(40)}` });
    const others = [
      { offerId: 'c', input: 4n, provider: `0x${'c'.repeat(40)}` },
      { offerId: 'd', input: 4n, provider: `0x${'d'.repeat(40)}`, errorRate: 0.9 },
    ];
    for (let index = 0; index < 20; index++) {
      const request = planRequest({ requestId: `req_${index}` });
      const plan = await planned([...own, ...others], request);
      expect(plan).toContain('c');
      expect(plan.filter((offerId) => offerId.startsWith('many'))).toHaveLength(3);
      expect(plan.indexOf('c')).toBe(2);
      expect(await planned(own, request)).toHaveLength(4);
      const few = await planned([...own.slice(0, 3), ...others.slice(0, 1)], request);
      expect([few.length, few.indexOf('c')]).toEqual([4, 2]);
    }
  });

  it('looks at every provider however many offers one has below the market', async () => {
    const clones = many(MOST_CANDIDATES, { input: 99_999n, provider: walletOf(0) });
    const others = Array.from({ length: 10 }, (_, index) => ({
      offerId: `other_${index}`,
      input: 100_000n,
      provider: walletOf(index + 1),
    }));
    const wallets = eligible([...clones, ...others]).candidates.map(({ provider }) => provider);
    expect(wallets.filter((wallet) => wallet === walletOf(0))).toHaveLength(MOST_ATTEMPTS);
    expect(new Set(wallets).size).toBe(11);
    const plan = planner([...clones, ...others]);
    for (let index = 0; index < 20; index++) {
      const { attempts } = await plan(planRequest({ requestId: `req_${index}` }));
      expect(new Set(attempts.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(2);
    }
    // Its other offers stand in for those that are full or fail.
    for (const standing of [{ inFlight: 4 }, { errorRate: 0.9 }]) {
      const bad = clones.map((each, index) =>
        index < MOST_CANDIDATES - 1 ? { ...each, ...standing } : each,
      );
      expect((await planned(bad))[0]).toBe(bad.at(-1)?.offerId);
    }
  });

  it('holds prices for this very request against each other', async () => {
    const reader = { offerId: 'reader', input: 1n, output: 1_000n };
    const writer = { offerId: 'writer', input: 100n, output: 10n };
    expect(await planned([reader, writer])).toEqual(['writer']);
    const long = planRequest({ inputEstimate: 7_000, maxTokens: 1 });
    expect(await planned([reader, writer], long)).toEqual(['reader']);
  });

  it.each([
    // With 512 tokens of output 61,200 against 125,600; with all that it may have 419,600 against 304,800.
    [4_096, { input: 10n, output: 100n }, { input: 100n, output: 50n }],
    // With all that it may have 14,000 against 20,200; with 512 tokens 214,800 against 30,240.
    [10, { input: 10n, output: 400n }, { input: 20n, output: 20n }],
  ])('ranks by what a request of at most %i tokens probably costs', async (maxTokens, cheap, dear) => {
    const plan = planner([
      { offerId: 'cheap', ...cheap },
      { offerId: 'dear', ...dear },
    ]);
    const { attempts } = await plan(planRequest({ inputEstimate: 1_000, maxTokens }));
    const told = new Map(attempts.map(({ offerId, why }) => [offerId, why]));
    expect(told.get('cheap')).toMatch(/^cheapest: /);
    expect(told.get('dear')).toMatch(/^\d\.\d\d times the cheapest: /);
  });

  it.each([{ errorRate: 0.9 }, { inFlight: 4 }])(
    'finds who can serve behind many with %j, of which it looks at some',
    async (standing) => {
      const ready = { offerId: 'ready', input: 2n };
      const clones = [...many(3 * MOST_CANDIDATES, standing), ready];
      expect((await planned(clones))[0]).toBe('ready');
      expect(eligible(clones).candidates).toHaveLength(MOST_ATTEMPTS + 1);
      const others = clones.map((each, index) => ({ ...each, provider: walletOf(index) }));
      expect((await planned(others))[0]).toBe('ready');
      expect(eligible(others).candidates).toHaveLength(MOST_CANDIDATES + 1);
    },
  );

  it('looks first at who fails a tenth of its requests at most', () => {
    const found = (errorRate: number) =>
      eligible([
        { offerId: 'cheap', input: 1n, errorRate },
        { offerId: 'dear', input: 2n },
      ]).candidates;
    expect(found(0.1)).toMatchObject([{ offerId: 'cheap' }, { offerId: 'dear' }]);
    expect(found(0.11)).toMatchObject([{ offerId: 'dear' }, { offerId: 'cheap' }]);
  });

  it('plans somebody whenever there is anybody, nobody at more than four times what working ones ask, each time the same', async () => {
    const { inputEstimate, maxTokens } = planRequest();
    const total = ({ input }: Offered) => input * BigInt(inputEstimate + maxTokens);
    await fc.assert(
      fc.asyncProperty(anyOffers, async (all) => {
        const plan = await planned(all);
        expect(plan.length > 0).toBe(all.length > 0);
        expect(plan.length).toBeLessThanOrEqual(MOST_ATTEMPTS);
        expect(await planned([...all].reverse())).toEqual(plan);
        const prices = all.filter(({ errorRate }) => errorRate <= WORKING_ERROR_RATE).map(total);
        if (prices.length === 0) return;
        const dearest = prices.reduce((one, other) => (one > other ? one : other));
        for (const each of all.filter(({ offerId }) => plan.includes(offerId))) {
          expect(total(each) <= dearest * MOST_TIMES_REFERENCE).toBe(true);
        }
      }),
    );
  });

  it('spreads a burst: nobody is planned first for more than it has places while another has room', async () => {
    const offers = [
      { offerId: 'cheap', input: 100n, concurrency: 16 },
      { offerId: 'dear', input: 150n, concurrency: 16 },
      { offerId: 'dearest', input: 200n, concurrency: 32 },
    ];
    const plan = planner(offers);
    const first: Record<string, number> = {};
    for (let index = 0; index < 64; index++) {
      const { attempts } = await plan(planRequest({ requestId: `req_${index}` }));
      const offerId = attempts[0]?.offerId ?? 'nobody';
      first[offerId] = (first[offerId] ?? 0) + 1;
    }
    expect(first).toEqual({ cheap: 16, dear: 16, dearest: 32 });
  });

  it('counts nothing of what will hardly come to a run', async () => {
    const plan = planner([{ offerId: 'cheap', input: 100n, concurrency: 16 }]);
    for (let index = 0; index < 100; index++)
      await plan(planRequest({ requestId: `req_${index}`, tentative: true }));
    const places = async () => (await plan()).attempts[0]?.why;
    expect(await places()).toContain(' 0 of 16 places taken');
    expect(await places()).toContain(' 1 of 16 places taken');
  });

  it('pins the terms of those it has tried', async () => {
    const { attempts } = await planner([
      { offerId: 'a', input: 100n, output: 200n, provider: walletOf(1) },
    ])();
    expect(attempts).toEqual([
      {
        offerId: 'a',
        model: MODEL,
        provider: walletOf(1),
        bundleId: 'bundle',
        profileId: 'profile',
        inputPricePerMtok: '100',
        outputPricePerMtok: '200',
        why: expect.any(String) as string,
      },
    ]);
  });

  it('says why each stands where it stands', async () => {
    const offers = [
      { offerId: 'cheap', input: 50_000n, concurrency: 64, inFlight: 3, firstTokenMs: 210 },
      { offerId: 'failing', input: 98_000n, errorRate: 0.5 },
      { offerId: 'full', input: 98_000n, inFlight: 4 },
    ];
    const { attempts, passedOver } = await planner(offers)();
    expect(attempts.map(({ why }) => why)).toEqual([
      'cheapest: 55 base units at most, 3 of 64 places taken, 0% errors, first token 210 ms',
      'failing: 108 base units at most, 0 of 4 places taken, 50% errors, first token 100 ms',
      'full: 108 base units at most, 4 of 4 places taken, 0% errors, first token 100 ms',
    ]);
    expect(passedOver).toBeUndefined();
  });

  it('says which is the cheapest, whichever is drawn first', async () => {
    const dear = (input: bigint) => ({ offerId: 'dear', input, provider: walletOf(1) });
    const plan = planner([{ offerId: 'cheap', input: 100n }, dear(110n)]);
    const first = new Set<string>();
    for (let index = 0; index < 20; index++) {
      const { attempts } = await plan(planRequest({ requestId: `req_${index}`, tentative: true }));
      for (const { offerId, why } of attempts) {
        expect(why).toMatch(offerId === 'cheap' ? /^cheapest: / : /^1\.10 times the cheapest: /);
      }
      first.add(attempts[0]?.offerId ?? 'nobody');
    }
    expect([...first].sort()).toEqual(['cheap', 'dear']);
    const free = { offerId: 'free', input: 0n, concurrency: 1 };
    expect((await planner([free, dear(100n)])()).attempts[1]?.why).toMatch(/^dearer: /);
    // Though it fails, and is not asked.
    const failing = { offerId: 'failing', input: 100n, errorRate: 1 };
    const others = many(4, { input: 110n }).map((each, index) => ({ ...each, provider: walletOf(index) }));
    const { attempts } = await planner([failing, ...others])();
    expect(attempts).toHaveLength(MOST_ATTEMPTS);
    for (const { why } of attempts) expect(why).toMatch(/^1\.10 times the cheapest: /);
  });

  it('says whom it passed over, the best first', async () => {
    const others = { provider: `0x${'b'.repeat(40)}` };
    const offers = [
      ...many(4, { input: 100n }).map((each, index) => ({ ...each, provider: walletOf(index) })),
      { offerId: 'dear', input: 400n, ...others },
      { offerId: 'failing', input: 100n, errorRate: 1, ...others },
      { offerId: 'outlier', input: 401n, ...others },
      { offerId: 'rogue', input: 10n ** 12n, ...others },
    ];
    const { attempts, passedOver } = await planner(offers)();
    expect(attempts).toHaveLength(MOST_ATTEMPTS);
    expect(passedOver).toMatchObject([
      { why: expect.stringMatching(/^behind others, 4\.00 times the cheapest: 1 base units/) as string },
      { offerId: 'failing', why: expect.stringMatching(/^behind others, failing: /) as string },
      { offerId: 'outlier', why: expect.stringMatching(/^price outlier: /) as string },
      { offerId: 'rogue', why: expect.stringMatching(/^price outlier: /) as string },
    ]);
  });

  it('keeps within the words and the number that others take', async () => {
    await fc.assert(
      fc.asyncProperty(anyOffers, async (offers) => {
        const all = offers.map((each, index) => ({ ...each, provider: walletOf(index) }));
        const { attempts, passedOver = [] } = await planner(all)(
          planRequest({ inputEstimate: 10, maxTokens: 4_096 }),
        );
        expect(passedOver).toHaveLength(Math.min(all.length - attempts.length, MOST_PASSED_OVER));
        for (const { why } of [...attempts, ...passedOver]) {
          expect(why.length).toBeGreaterThan(0);
          expect(why.length).toBeLessThanOrEqual(MOST_WHY_CHARS);
        }
        const told = [...attempts, ...passedOver].map(({ offerId }) => offerId);
        expect(new Set(told).size).toBe(told.length);
      }),
    );
  });

  it('plans whose context holds the least that a prompt can need and the limit, and nobody whose does not', async () => {
    const offers = [
      { offerId: 'small', input: 1n, contextLimit: 4_096 },
      { offerId: 'large', input: 2n, contextLimit: 8_192 },
    ];
    const long = { inputEstimate: 11_000, inputLeast: 6_600 };
    expect(await planned(offers, planRequest({ ...long, maxTokens: 1_592 }))).toEqual(['large']);
    expect(await planned(offers, planRequest({ ...long, maxTokens: 1_593 }))).toEqual([]);
    // A gateway of before says no least.
    const before = { requestId: 'req_1', model: MODEL, inputEstimate: 6_600 };
    expect(await planned(offers, { ...before, maxTokens: 1_592 })).toEqual(['large']);
    expect(await planned(offers, { ...before, maxTokens: 1_593 })).toEqual([]);
  });

  it('asks first whose context holds all that a prompt may need, however many smaller ones are cheaper', async () => {
    const small = many(3 * MOST_CANDIDATES, { contextLimit: 4_096 }).map((each, index) => ({
      ...each,
      provider: walletOf(index),
    }));
    const large = { offerId: 'large', input: 2n, provider: walletOf(999), contextLimit: 4_500 };
    const dense = planRequest({ inputEstimate: 3_500, inputLeast: 2_100, maxTokens: 1_000 });
    const { attempts } = await planner([...small, large])(dense);
    expect(attempts).toHaveLength(MOST_ATTEMPTS);
    expect(attempts[0]?.offerId).toBe('large');
    expect(attempts[1]?.why).toMatch(/^small context: /);
    expect(await planned(small, dense)).toHaveLength(MOST_ATTEMPTS);
    const failing = { ...large, errorRate: 0.9 };
    expect((await planned([small[0] as Offered, failing], dense)).at(-1)).toBe('large');
  });

  it('says when to come again: never soon to a request that nobody can take', async () => {
    expect(await planner([])()).toEqual({ attempts: [], retryAfterSeconds: 5 });
    const small = { offerId: 'small', input: 1n, contextLimit: 1_000 };
    expect(await planner([small])()).toEqual({ attempts: [], retryAfterSeconds: 30 });
    expect(retryAfterSeconds({ loaded: false, ofModel: () => [] }, [MODEL])).toBe(2);
  });
});
