import { createMetricsRegistry } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { OfferPlaces } from './offer-places.service';
import type { PlaceOffer } from './offer-places.service';
import { OfferShare } from './offer-share';
import type { PlaceKeeper } from './place-keeper.service';
import { PlacesMetrics } from './places.metrics';

/** An instance that is alone and gets every place it asks for at once, as far as it is there. */
class LoneKeeper implements Pick<PlaceKeeper, 'inTouch' | 'instances' | 'shareOf' | 'whenFree' | 'settle'> {
  inTouch = true;
  /** Nothing is got yet. */
  isSlow = false;
  /** How often it was told that something has changed. */
  settled = 0;
  instances = 1;
  private readonly shares = new Map<string, OfferShare>();
  private revision = 0;
  private onFree: (offerId: string) => void = () => undefined;

  shareOf(offerId: string): OfferShare {
    let share = this.shares.get(offerId);
    if (!share) {
      share = new OfferShare('alone');
      share.learn({ revision: 0, holdings: new Map() }, 0);
      this.shares.set(offerId, share);
    }
    return share;
  }

  whenFree(listener: (offerId: string) => void): void {
    this.onFree = listener;
  }

  settle(offerId: string): void {
    this.settled++;
    if (this.isSlow) return;
    const share = this.shareOf(offerId);
    const holdings = share.plan({ count: 1, isLost: () => false }, performance.now());
    if (holdings) share.wrote({ revision: ++this.revision, holdings }, performance.now());
    this.onFree(offerId);
  }
}

describe('OfferPlaces', () => {
  let keeper: LoneKeeper;
  let places: OfferPlaces;
  let registry: MetricsRegistry;
  const offer = (offerId: string, concurrency: number): PlaceOffer => ({ offerId, concurrency });
  const [a, b] = [offer('a', 1), offer('b', 1)];

  beforeEach(() => {
    keeper = new LoneKeeper();
    registry = createMetricsRegistry('dispatch');
    places = new OfferPlaces(keeper as unknown as PlaceKeeper, new PlacesMetrics(registry));
  });

  const waitAll = (offers: PlaceOffer[]) => Promise.all(offers.map((each) => places.wait([each], 1_000)));

  it('one client may fill a queue, and makes room for others', async () => {
    expect(await places.wait([a], 10)).toBe('a');
    const served: string[] = [];
    const wait = (wallet: string) =>
      places.wait([a], 1_000, undefined, wallet).then((offerId) => {
        served.push(offerId === undefined ? `${wallet} sent away` : wallet);
      });
    const crowd = Array.from({ length: 17 }, () => wait('crowd'));
    await crowd.at(-1);
    expect(served).toEqual(['crowd sent away']);
    const others = Array.from({ length: 9 }, () => wait('other'));
    // Half of it each: nobody makes room any more.
    await others.at(-1);
    const sentAway = [...Array<string>(9).fill('crowd sent away'), 'other sent away'];
    expect([...served].sort()).toEqual(sentAway);
    for (let left = 16; left > 0; left--) {
      places.giveBack('a');
      await Promise.resolve();
    }
    await Promise.all([...crowd, ...others]);
    expect(served.slice(sentAway.length)).toEqual([
      ...Array<string>(8).fill('crowd'),
      ...Array<string>(8).fill('other'),
    ]);
  });

  it('sends away nobody whose wallet is not known, nor anybody for one such', async () => {
    await waitAll([a]);
    const waits = Array.from({ length: 16 }, () => places.wait([a], 10_000));
    for (const wallet of ['another', undefined])
      expect(await places.wait([a], 10_000, undefined, wallet)).toBeUndefined();
    for (let each = 0; each < 16; each++) places.giveBack('a');
    expect(await Promise.all(waits)).toEqual(waits.map(() => 'a'));
    const crowd = Array.from({ length: 16 }, () => places.wait([a], 10_000, undefined, 'crowd'));
    expect(await places.wait([a], 10_000)).toBeUndefined();
    for (let each = 0; each < 16; each++) places.giveBack('a');
    expect(await Promise.all(crowd)).toEqual(crowd.map(() => 'a'));
  });

  it('keeps what is under way within the concurrency', async () => {
    const two = offer('a', 2);
    expect(await waitAll([two, two])).toEqual(['a', 'a']);
    expect(places.take(two)).toBe(false);
    expect(await places.wait([b], 10)).toBe('b');
    places.giveBack('a');
    expect(places.take(two)).toBe(true);
  });

  it('finds a place for whoever comes after one that found none', async () => {
    expect(places.take(a)).toBe(false);
    expect(places.take(a)).toBe(true);
    expect(places.take(b)).toBe(false);
    expect(await places.takeSoon(b)).toBe(true);
    expect(places.take(b)).toBe(false);
  });

  it('fetches more when the last one at hand is taken, and nothing while one is', async () => {
    const wide = offer('wide', 4);
    await waitAll([wide]);
    const { settled } = keeper;
    places.prepare(wide);
    expect(keeper.settled).toBe(settled);
    for (let each = 1; each < 4; each++) expect(places.take(wide)).toBe(true);
    expect(places.take(wide)).toBe(false);
  });

  it('gives a place that comes free to who waits at once: whether others need some is found out later', async () => {
    await waitAll([a]);
    const waiting = places.wait([a], 10_000);
    keeper.isSlow = true;
    places.giveBack('a');
    expect(await waiting).toBe('a');
  });

  it.each<[string, (share: OfferShare) => void, boolean]>([
    [
      'another instance has less and wishes for some',
      (share) => share.wishes.set('other', 1, Infinity),
      true,
    ],
    ['fewer are taken by the offer than before', (share) => (share.concurrency = 1), true],
    ['nobody needs it', () => undefined, false],
  ])('has a place that comes free looked at when %s', async (_, happen, isSettled) => {
    const two = offer('a', 2);
    await waitAll([two, two]);
    happen(keeper.shareOf('a'));
    const { settled } = keeper;
    places.giveBack('a');
    expect(keeper.settled > settled).toBe(isSettled);
  });

  it('gives a place that comes free to who waits, whichever offer it is at', async () => {
    await waitAll([a, b]);
    const waiting = places.wait([a, b], 10_000);
    places.giveBack('b');
    expect(await waiting).toBe('b');
    expect(places.take(b)).toBe(false);
  });

  it('serves those who wait in the order they came, and nobody before them', async () => {
    await waitAll([a]);
    const served: number[] = [];
    const waits = [1, 2, 3].map(async (number) => {
      await places.wait([a], 10_000);
      served.push(number);
    });
    for (let each = 0; each < 3; each++) {
      places.giveBack('a');
      expect(places.take(a)).toBe(false);
      await new Promise(setImmediate);
    }
    await Promise.all(waits);
    expect(served).toEqual([1, 2, 3]);
  });

  it('does not lose a place to one who waits no more', async () => {
    await waitAll([a]);
    const abort = new AbortController();
    const gone = places.wait([a], 10_000, abort.signal);
    const next = places.wait([a], 10_000);
    abort.abort();
    places.giveBack('a');
    expect(await gone).toBeUndefined();
    expect(await next).toBe('a');
  });

  it('does not wait beyond its time, nor for nobody', async () => {
    await waitAll([a]);
    expect(await places.wait([a], 5)).toBeUndefined();
    expect(await places.wait([a], 10_000, AbortSignal.abort())).toBeUndefined();
  });

  it('lets so many wait and no more: twice the concurrency, at least 16, at most 256', async () => {
    for (const [concurrency, most] of [
      [1, 16],
      [20, 40],
      [200, 256],
    ] as const) {
      const busy = offer(`busy-${concurrency}`, concurrency);
      await waitAll(Array.from({ length: concurrency }, () => busy));
      const waits = Array.from({ length: most }, () => places.wait([busy], 10_000));
      expect(await places.wait([busy], 10_000)).toBeUndefined();
      for (let each = 0; each < most; each++) places.giveBack(busy.offerId);
      expect(await Promise.all(waits)).toEqual(waits.map(() => busy.offerId));
    }
  });

  it('tells how many wait, and how waits have ended', async () => {
    const told = async (name: string) =>
      (await registry.getSingleMetric(name)?.get())?.values.map(({ labels, value }) => [
        labels.outcome,
        value,
      ]);
    await waitAll([a]);
    await places.wait([a], 5);
    await places.wait([a], 10_000, AbortSignal.abort());
    const waits = Array.from({ length: 16 }, () => places.wait([a], 10_000));
    await places.wait([a], 10_000);
    expect(await told('svc_dispatch_places_waiting')).toEqual([[undefined, 16]]);
    for (let each = 0; each < 16; each++) places.giveBack('a');
    await Promise.all(waits);
    expect(await told('svc_dispatch_places_waiting')).toEqual([[undefined, 0]]);
    const ended = [
      ['got', 17],
      ['timed_out', 1],
      ['aborted', 1],
      ['too_many', 1],
    ];
    expect(await told('svc_dispatch_place_waits_total')).toEqual(ended);
  });

  it('fetches a place for each that comes at once, as many as nobody holds, and has the others go elsewhere', async () => {
    const two = offer('a', 2);
    keeper.isSlow = true;
    const came = Promise.all([1, 2, 3].map(() => places.takeSoon(two)));
    keeper.isSlow = false;
    keeper.settle('a');
    expect(await came).toEqual([true, true, false]);
  });

  it('leaves as many of them to other instances', async () => {
    const four = offer('a', 4);
    keeper.instances = 2;
    keeper.isSlow = true;
    const came = Promise.all([1, 2, 3].map(() => places.takeSoon(four)));
    keeper.isSlow = false;
    keeper.settle('a');
    expect(await came).toEqual([true, true, false]);
  });

  it('looks for a place that somebody else has just given up waiting for', async () => {
    const abort = new AbortController();
    keeper.isSlow = true;
    const gone = places.takeSoon(a, abort.signal);
    abort.abort();
    expect(await gone).toBe(false);
    const next = places.takeSoon(a);
    keeper.isSlow = false;
    keeper.settle('a');
    expect(await next).toBe(true);
  });

  it('takes no place while others may think it dead', () => {
    places.take(a);
    keeper.inTouch = false;
    expect(places.take(a)).toBe(false);
    keeper.inTouch = true;
    expect(places.take(a)).toBe(true);
  });

  it('lets nobody before those who wait when it may use its places again', async () => {
    places.take(a);
    keeper.inTouch = false;
    const waiting = places.wait([a], 10_000);
    keeper.inTouch = true;
    expect(places.take(a)).toBe(false);
    keeper.settle('a');
    expect(await waiting).toBe('a');
  });

  it('waits a quarter of a second for a place that nobody holds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    keeper.isSlow = true;
    const [late, inTime] = [places.takeSoon(a), places.takeSoon(b)];
    await jest.advanceTimersByTimeAsync(249);
    keeper.isSlow = false;
    keeper.settle('b');
    await jest.advanceTimersByTimeAsync(1);
    keeper.settle('a');
    expect(await Promise.all([late, inTime])).toEqual([false, true]);
    jest.useRealTimers();
  });

  describe('a place that another instance holds', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
      keeper.shareOf('a').learn({ revision: 1, holdings: new Map([['other', 1]]) }, 0);
    });
    afterEach(() => jest.useRealTimers());

    /** Whether it is waited for. */
    const isWaitedFor = (signal?: AbortSignal) => {
      const found = places.takeSoon(a, signal);
      const waits = jest.getTimerCount() > 0;
      return { found, waits };
    };

    it('is waited for shortly, and when it did not come not again at once', async () => {
      const first = isWaitedFor();
      expect(first.waits).toBe(true);
      await jest.advanceTimersByTimeAsync(15);
      expect(await first.found).toBe(false);
      await jest.advanceTimersByTimeAsync(99);
      expect(isWaitedFor().waits).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(isWaitedFor().waits).toBe(true);
    });

    it('is waited for again when it was not wanted any more', async () => {
      const abort = new AbortController();
      const first = isWaitedFor(abort.signal);
      abort.abort();
      expect(await first.found).toBe(false);
      expect(isWaitedFor().waits).toBe(true);
    });

    it('is left to those who wait for it already', async () => {
      void places.wait([a], 60_000);
      const next = places.takeSoon(a);
      expect(jest.getTimerCount()).toBe(1);
      expect(await next).toBe(false);
    });
  });

  describe('Retry-After', () => {
    beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
    afterEach(() => jest.useRealTimers());

    const serveFor = async (each: PlaceOffer, ms: number) => {
      await places.wait([each], 1_000);
      jest.advanceTimersByTime(ms);
      places.giveBack(each.offerId);
    };

    it('is 5 while nothing is known', () => {
      expect(places.retryAfterSeconds(['a'])).toBe(5);
      expect(places.retryAfterSeconds([])).toBe(5);
    });

    it('follows from how long requests held their place, how many places there are and how many wait', async () => {
      await serveFor(a, 6_000);
      expect(places.retryAfterSeconds(['a'])).toBe(6);
      await places.wait([a], 1_000);
      void places.wait([a], 60_000);
      expect(places.retryAfterSeconds(['a'])).toBe(12);
      const wide = offer('wide', 6);
      await serveFor(wide, 6_000);
      expect(places.retryAfterSeconds(['wide'])).toBe(1);
      expect(places.retryAfterSeconds(['a', 'wide'])).toBe(1);
      keeper.instances = 2;
      expect(places.retryAfterSeconds(['wide'])).toBe(2);
    });

    it('is in whole seconds, none too few', async () => {
      await serveFor(a, 2_100);
      expect(places.retryAfterSeconds(['a'])).toBe(3);
    });

    it('is 30 at most', async () => {
      await serveFor(a, 300_000);
      expect(places.retryAfterSeconds(['a'])).toBe(30);
    });
  });
});
