import { OfferLoad } from './offer-load.service';

describe('OfferLoad', () => {
  it('keeps what is under way within the concurrency', () => {
    const load = new OfferLoad();
    expect([1, 2, 3].map(() => load.enter('a', 2))).toEqual([true, true, false]);
    expect(load.enter('b', 1)).toBe(true);
    load.leave('a');
    expect(load.enter('a', 2)).toBe(true);
  });

  it('reports what happened since the last report, of offers with traffic', () => {
    const load = new OfferLoad();
    load.enter('a', 9);
    load.enter('a', 9);
    load.leave('a');
    load.succeeded('a', 100);
    load.succeeded('a', 201);
    load.succeeded('a', undefined);
    load.enter('b', 9);
    load.leave('b');
    load.failed('b', false);
    load.failed('b', true);
    load.observeSpeed('a', 20, 100, true);
    load.observeSpeed('a', 20, 300, true);
    load.observeSpeed('a', 2, 1_000, true);
    load.observeSpeed('a', 100, 1, false);
    expect(load.report()).toEqual([
      {
        offerId: 'a',
        succeeded: 3,
        failed: 0,
        invalid: 0,
        inFlight: 1,
        firstTokenMs: 151,
        tokensPerSecond: 100,
      },
      { offerId: 'b', succeeded: 0, failed: 2, invalid: 1, inFlight: 0 },
    ]);
    expect(load.report()).toEqual([{ offerId: 'a', succeeded: 0, failed: 0, invalid: 0, inFlight: 1 }]);
    load.leave('a');
    load.keepOnly(() => false);
    expect(load.report()).toEqual([]);
  });

  it('tells no speed beyond belief', () => {
    const load = new OfferLoad();
    load.enter('a', 1);
    load.observeSpeed('a', 8_000_000, 0, true);
    expect(load.report()).toMatchObject([{ tokensPerSecond: 1_000_000 }]);
  });

  it('knows how fast an offer is only from replies long enough, and forgets', () => {
    const load = new OfferLoad();
    load.observeSpeed('a', 2, 1, true);
    expect(load.writesWithin('a', 10, 1_000_000)).toBe(false);
    load.observeSpeed('a', 100, 1_000, true);
    load.observeSpeed('a', 100, 90_000, true);
    expect(load.writesWithin('a', 400, 5_000)).toBe(true);
    expect(load.writesWithin('a', 600, 5_000)).toBe(false);
    load.forgetSpeed('a');
    expect(load.writesWithin('a', 1, 1_000_000)).toBe(false);
  });
});
