import { MOST_WALLET_TAGS } from '@svc/contracts';
import { OfferLoad } from './offer-load.service';

describe('OfferLoad', () => {
  it('reports what happened since the last report, of offers with traffic', () => {
    const load = new OfferLoad();
    load.enter('a');
    load.enter('a');
    load.leave('a');
    load.succeeded('a', 100);
    load.succeeded('a', 201);
    load.succeeded('a', undefined);
    load.enter('b');
    load.leave('b');
    load.failed('b', { invalid: false });
    load.failed('b', { invalid: true });
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

  it('tells what is blamed on an offer, and how many it failed', () => {
    const load = new OfferLoad();
    load.enter('a');
    load.failed('a', { invalid: true });
    load.failed('a', { invalid: true, blamedBy: '0xa' });
    for (let times = 0; times < 5; times++) load.failed('a', { invalid: false, blamedBy: '0xb' });
    const [{ blamedBy = [], ...counts } = {}] = load.report();
    expect(counts).toMatchObject({ failed: 7, invalid: 2, blamed: 6, blamedInvalid: 1 });
    // Tags of wallets, the same in every report and on every instance; no wallets.
    expect(blamedBy).toHaveLength(2);
    expect(blamedBy.join()).not.toContain('0x');
    for (let wallet = 0; wallet < 50; wallet++) load.failed('a', { invalid: false, blamedBy: `0x${wallet}` });
    load.failed('a', { invalid: false, blamedBy: '0xa' });
    expect(load.report()[0]).toMatchObject({ blamed: 51, blamedBy: { length: MOST_WALLET_TAGS } });
    load.failed('a', { invalid: false, blamedBy: '0xa' });
    expect(blamedBy).toContain(load.report()[0]?.blamedBy?.[0]);
  });

  it('tells claims with the bytes they are for, and who got replies that claim too much', () => {
    const load = new OfferLoad();
    load.enter('a');
    load.claimed('a', { wallet: '0xa', tokens: 100, outputBytes: 400 });
    expect(load.report()[0]).not.toHaveProperty('inflatedBy');
    load.claimed('a', { wallet: '0xa', tokens: 100, outputBytes: 180 });
    load.claimed('a', { wallet: '0xb', tokens: 100, outputBytes: 179 });
    expect(load.report()[0]).toMatchObject({
      claims: 2,
      claimedTokens: 200,
      outputBytes: 359,
      inflatedBy: { length: 1 },
    });
  });

  it('tells that something came, of what is still under way', () => {
    const load = new OfferLoad();
    load.enter('a');
    const pulse = load.pulseOf('a');
    expect(load.report()[0]).not.toHaveProperty('progressed');
    pulse();
    pulse();
    expect(load.report()[0]).toMatchObject({ inFlight: 1, progressed: true });
    expect(load.report()[0]).not.toHaveProperty('progressed');
  });

  it('tells the end of what was under way when the last report was made', () => {
    const load = new OfferLoad();
    load.enter('a');
    load.report();
    load.failed('a', { invalid: false });
    load.leave('a');
    expect(load.report()).toMatchObject([{ offerId: 'a', failed: 1, inFlight: 0 }]);
    expect(load.report()).toEqual([]);
  });

  it('tells no speed beyond belief', () => {
    const load = new OfferLoad();
    load.enter('a');
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

  it('tells of an offer that failed without being asked', () => {
    const load = new OfferLoad();
    load.failed('a', { invalid: false });
    expect(load.report()).toMatchObject([{ offerId: 'a', failed: 1, inFlight: 0 }]);
    expect(load.report()).toEqual([]);
  });

  it('forgets an offer that is gone and idle, and no other', () => {
    const load = new OfferLoad();
    for (const offerId of ['stays', 'idle', 'busy']) load.observeSpeed(offerId, 100, 1_000, true);
    load.enter('busy');
    load.keepOnly((offerId) => offerId === 'stays');
    const isKnown = (offerId: string) => load.writesWithin(offerId, 100, 1_000);
    expect(['stays', 'idle', 'busy'].filter(isKnown)).toEqual(['stays', 'busy']);
    load.leave('busy');
    expect(load.report()).toMatchObject([{ offerId: 'busy', inFlight: 0 }]);
  });

  it('knows when a first token is late only of offers that have given some, and is not hasty', () => {
    const load = new OfferLoad();
    expect(load.usualFirstTokenMs('a')).toBeUndefined();
    for (let time = 0; time < 64; time++) {
      load.succeeded('a', 700);
      load.succeeded('b', 3);
      load.succeeded('c', undefined);
    }
    expect(['a', 'b', 'c'].map((offerId) => load.usualFirstTokenMs(offerId))).toEqual([700, 50, undefined]);
  });
});
