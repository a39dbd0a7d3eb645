import { createLogger, createMetricsRegistry } from '@svc/observability';
import type { Holdings, StoredHoldings } from './holdings';
import { OfferPlaces } from './offer-places.service';
import type { OfferShare } from './offer-share';
import { PlaceKeeper } from './place-keeper.service';
import type { PlacePeers } from './place-peers.service';
import type { PlaceFollower, PlaceStore } from './place-store.service';
import type { PlaceWish, PlaceWishes } from './place-wishes.service';
import { PlacesMetrics } from './places.metrics';

const LOOK_MS = 200;
const PERIOD_MS = 15_000;

/** The bucket, with one offer's key. */
class Store implements Pick<PlaceStore, keyof PlaceStore> {
  isBeingClaimed = false;
  isAway = false;
  isStopped = false;
  /** What writes wait for, from now on. */
  answer: Promise<void> = Promise.resolve();
  reads = 0;
  writes = 0;
  beginnings = 0;
  follower: PlaceFollower | undefined;
  private stored: StoredHoldings = { revision: 0, holdings: new Map() };

  get holdings(): object {
    return Object.fromEntries(this.stored.holdings);
  }

  /** As another instance writes it. */
  put(holdings: Record<string, number>): StoredHoldings {
    return (this.stored = {
      revision: this.stored.revision + 1,
      holdings: new Map(Object.entries(holdings)),
    });
  }

  async read(): Promise<StoredHoldings> {
    this.reads++;
    if (this.isAway) throw new Error('away');
    return Promise.resolve(this.stored);
  }

  async write(_: string, holdings: Holdings, revision: number): Promise<number | undefined> {
    this.writes++;
    await this.answer;
    if (this.isAway) throw new Error('away');
    if (revision !== this.stored.revision) return undefined;
    this.stored = { revision: revision + 1, holdings };
    return revision + 1;
  }

  follow(follower: PlaceFollower): void {
    this.follower = follower;
  }

  /** Of the bucket that somebody has emptied or replaced. */
  beginAnew(): void {
    this.beginnings++;
    this.follower?.lostTouch();
  }

  /** An operator empties the bucket. */
  empty(): void {
    this.stored = { revision: 0, holdings: new Map() };
  }

  stop(): void {
    this.isStopped = true;
  }
}

/** A keeper among others, who do what the spec says. */
class Kept {
  readonly store = new Store();
  readonly said: number[] = [];
  readonly dead = new Set<string>();
  readonly expected: string[] = [];
  readonly peers = {
    ...{ instanceId: 'me', count: 2, inTouch: true },
    isLost: (instanceId: string) => this.dead.has(instanceId),
    expect: (instanceId: string) => this.expected.push(instanceId),
    onLost: (listener: (instanceId: string) => void) => (this.lose = listener),
  };
  readonly logger = createLogger('dispatch', 'silent');
  readonly warn = jest.spyOn(this.logger, 'warn');
  readonly registry = createMetricsRegistry('dispatch');
  readonly keeper: PlaceKeeper;
  readonly places: OfferPlaces;
  wish: (wish: PlaceWish) => void = () => undefined;
  private lose: (instanceId: string) => void = () => undefined;

  constructor() {
    const wishes: Pick<PlaceWishes, keyof PlaceWishes> = {
      say: (_, count) => void this.said.push(count),
      listen: (listener) => (this.wish = listener),
    };
    const metrics = new PlacesMetrics(this.registry);
    this.keeper = new PlaceKeeper(
      this.store as unknown as PlaceStore,
      this.peers as unknown as PlacePeers,
      wishes as unknown as PlaceWishes,
      metrics,
      this.logger,
    );
    this.places = new OfferPlaces(this.keeper, metrics);
    this.keeper.onApplicationBootstrap();
  }

  get share(): OfferShare {
    return this.keeper.shareOf('offer');
  }

  /** The key says so, and the keeper knows it. */
  with(holdings: Record<string, number>, concurrency = 8): this {
    this.share.concurrency = concurrency;
    this.share.learn(this.store.put(holdings), performance.now());
    return this;
  }

  /** Somebody else has written it, and the keeper hears of it. */
  hear(holdings: Record<string, number>): Promise<void> {
    this.store.follower?.changed('offer', this.store.put(holdings));
    return this.settle();
  }

  /** So many of them are used by now, and so many were at once. */
  use(most: number, now = most): this {
    for (let each = 0; each < most; each++) this.share.take(performance.now());
    for (let each = most; each > now; each--) this.share.giveBack(performance.now());
    return this;
  }

  wait(concurrency = 8, patienceMs = 60_000): Promise<string | undefined> {
    return this.places.wait([{ offerId: 'offer', concurrency }], patienceMs);
  }

  die(instanceId: string): Promise<void> {
    this.dead.add(instanceId);
    this.lose(instanceId);
    return this.settle();
  }

  settle(): Promise<void> {
    return jest.advanceTimersByTimeAsync(0);
  }

  async metric(name: string): Promise<[unknown, number][]> {
    const values = (await this.registry.getSingleMetric(name)?.get())?.values ?? [];
    return values.map(({ labels, value }) => [labels.outcome, value]);
  }
}

describe('PlaceKeeper', () => {
  let kept: Kept;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    kept = new Kept();
  });
  afterEach(() => jest.useRealTimers());

  it('goes by what somebody else has written in between', async () => {
    kept.with({}, 2);
    kept.store.put({ other: 1 });
    expect(await kept.wait(2)).toBe('offer');
    expect(kept.store.holdings).toEqual({ other: 1, me: 1 });
    await kept.hear({ other: 1 });
    expect(kept.store.holdings).toEqual({ other: 1, me: 1 });
    expect(await kept.metric('svc_dispatch_place_writes_total')).toEqual(
      expect.arrayContaining([
        ['conflict', 1],
        ['written', 2],
      ]),
    );
  });

  it('sees to what changes while it writes', async () => {
    let go: () => void = () => undefined;
    kept.store.answer = new Promise((resolve) => (go = resolve));
    const found = kept.with({}).wait();
    await kept.settle();
    const more = [kept.wait(), kept.wait()];
    await kept.settle();
    expect(kept.store.writes).toBe(1);
    go();
    expect(await Promise.all([found, ...more])).toEqual(['offer', 'offer', 'offer']);
  });

  it('tries again while the bucket does not answer, and says so once each time', async () => {
    for (const warned of [1, 2]) {
      kept.store.isAway = true;
      const found = kept.wait();
      await jest.advanceTimersByTimeAsync(5 * LOOK_MS);
      expect(kept.warn).toHaveBeenCalledTimes(warned);
      kept.store.isAway = false;
      await jest.advanceTimersByTimeAsync(LOOK_MS);
      expect(await found).toBe('offer');
      kept.places.giveBack('offer');
      await kept.hear({});
    }
    const [failed] = (await kept.metric('svc_dispatch_place_writes_total')).filter(
      ([name]) => name === 'failed',
    );
    expect(failed?.[1]).toBeGreaterThanOrEqual(10);
  });

  it('finds out soon what became of a write that was not answered, though nobody waits', async () => {
    kept.with({ me: 2 }).use(2, 0);
    kept.store.isAway = true;
    await jest.advanceTimersByTimeAsync(2 * PERIOD_MS);
    kept.store.isAway = false;
    await jest.advanceTimersByTimeAsync(LOOK_MS);
    expect(kept.store.holdings).toEqual({});
  });

  it('asks others for what they hold until it needs it no more', async () => {
    const found = kept.with({ other: 1 }, 1).wait(1);
    await kept.settle();
    expect(kept.said).toEqual([1]);
    await jest.advanceTimersByTimeAsync(2 * LOOK_MS);
    expect(kept.said).toEqual([1, 1, 1]);
    await kept.hear({});
    expect(await found).toBe('offer');
    await kept.settle();
    expect(kept.said).toEqual([1, 1, 1, 0]);
    await jest.advanceTimersByTimeAsync(2 * LOOK_MS);
    expect(kept.said).toHaveLength(4);
  });

  it('asks others also when a request has gone elsewhere: more may come, unless it stops', async () => {
    kept.with({ other: 1 }, 1);
    const goElsewhere = async () => {
      expect(kept.places.take({ offerId: 'offer', concurrency: 1 })).toBe(false);
      await kept.settle();
    };
    await goElsewhere();
    expect(kept.said).toEqual([1]);
    await jest.advanceTimersByTimeAsync(5 * LOOK_MS);
    const said = kept.said.length;
    kept.keeper.onModuleDestroy();
    await goElsewhere();
    expect(kept.said).toHaveLength(said);
  });

  it('asks nobody for what it holds itself, nor for what nobody holds', async () => {
    await kept.with({ me: 1 }, 1).use(1).settle();
    void kept.wait(1);
    await jest.advanceTimersByTimeAsync(2 * LOOK_MS);
    expect(kept.said).toEqual([]);
  });

  it('hands on what it does not use as soon as somebody wishes for it', async () => {
    kept.with({ me: 2 }, 2).use(2, 1);
    kept.wish({ offerId: 'offer', instanceId: 'other', count: 0 });
    kept.wish({ offerId: 'another', instanceId: 'other', count: 1 });
    await kept.settle();
    expect(kept.store.writes).toBe(0);
    kept.wish({ offerId: 'offer', instanceId: 'other', count: 1 });
    await kept.settle();
    expect(kept.store.holdings).toEqual({ me: 1, other: 1 });
  });

  it('hands on what comes free to whom has less and wished for it', async () => {
    kept.with({ me: 2 }, 2).use(2);
    kept.wish({ offerId: 'offer', instanceId: 'other', count: 1 });
    await kept.settle();
    expect(kept.store.writes).toBe(0);
    kept.places.giveBack('offer');
    await kept.settle();
    expect(kept.store.holdings).toEqual({ me: 1, other: 1 });
  });

  it('frees what the dead held, whether it knew of them then or hears of it now', async () => {
    await kept.with({ me: 1, first: 2 }, 3).use(1).die('first');
    expect(kept.store.holdings).toEqual({ me: 1 });
    kept.dead.add('second');
    await kept.hear({ me: 1, second: 2 });
    expect(kept.store.holdings).toEqual({ me: 1 });
  });

  it('expects to hear of everybody who holds some', async () => {
    await kept.hear({ first: 1, second: 1 });
    expect(kept.expected).toEqual(['first', 'second']);
    expect(kept.store.writes).toBe(0);
  });

  it('puts right a key that does not say what it uses', async () => {
    kept.with({ me: 2 }, 3).use(2);
    await kept.hear({ other: 1 });
    expect(kept.store.holdings).toEqual({ me: 2, other: 1 });
  });

  it('warns of an instance that fell silent with places, and of none that left in order', async () => {
    kept.with({ killed: 2 });
    for (const instanceId of ['left', 'killed']) await kept.die(instanceId);
    expect(kept.warn.mock.calls).toEqual([
      [{ instanceId: 'killed' }, expect.stringContaining('fell silent')],
    ]);
  });

  it('gives those who wait their places when the key says so, though the write that got them is not answered yet', async () => {
    kept.store.answer = new Promise(() => undefined);
    const found = kept.wait(1);
    await kept.settle();
    expect(kept.store.writes).toBe(1);
    await kept.hear({ me: 1 });
    expect(await found).toBe('offer');
  });

  it.each([
    ['goes on with what it held after a reconnect, though the bucket does not answer yet', true, 2],
    [
      'takes no place after one before it has read who holds them, where others may have thought it dead',
      false,
      0,
    ],
  ])('%s', (_, inTouch, free) => {
    const { share } = kept.with({ other: 1 }).with({ me: 2 });
    kept.peers.inTouch = inTouch;
    kept.keeper.lostTouch();
    expect(share.free).toBe(free);
    // The bucket may be another one, whose revisions have begun anew.
    share.learn({ revision: 1, holdings: new Map([['me', 1]]) }, 0);
    expect(share.free).toBe(1);
  });

  it('reads what it does not know any more when it is in touch again, and nothing else', async () => {
    kept.with({ me: 1 }, 1).use(1);
    kept.keeper.inTouchAgain();
    await kept.settle();
    expect(kept.store.reads).toBe(0);
    kept.keeper.lostTouch();
    kept.keeper.inTouchAgain();
    await kept.settle();
    expect([kept.store.reads, kept.share.stored]).toEqual([
      1,
      { revision: 1, holdings: new Map([['me', 1]]) },
    ]);
  });

  it('claims what it uses when the bucket was emptied under it, and does not go on in circles', async () => {
    kept.with({ me: 2 }).use(2);
    kept.store.empty();
    void kept.wait();
    await kept.settle();
    expect(kept.store.holdings).toEqual({ me: 4 });
    expect([kept.store.beginnings, kept.store.writes]).toEqual([1, 2]);
  });

  it('claims what it uses while the bucket is being filled again, and no more', async () => {
    kept.with({ me: 1 }).use(1);
    void kept.wait();
    kept.store.isBeingClaimed = true;
    await kept.hear({});
    expect(kept.store.holdings).toEqual({ me: 1 });
  });

  it('gives back what was not used for a while, and forgets an offer that nobody asks for', async () => {
    const { share } = kept.with({ me: 2 }).use(2, 0);
    await jest.advanceTimersByTimeAsync(PERIOD_MS);
    expect(kept.store.holdings).toEqual({ me: 2 });
    await jest.advanceTimersByTimeAsync(PERIOD_MS);
    expect(kept.store.holdings).toEqual({});
    expect(kept.share).toBe(share);
    await jest.advanceTimersByTimeAsync(PERIOD_MS);
    expect(kept.share).not.toBe(share);
  });

  it('does not forget an offer that a request is at, or waits for', async () => {
    const { share } = kept.with({ other: 1 }, 1);
    void kept.wait(1);
    await jest.advanceTimersByTimeAsync(2 * PERIOD_MS);
    expect(kept.share).toBe(share);
    await kept.hear({ me: 1 });
    await jest.advanceTimersByTimeAsync(2 * PERIOD_MS);
    expect([kept.share === share, share.inUse]).toEqual([true, 1]);
  });

  it('tells how many places it holds and uses', async () => {
    kept.with({ me: 3, other: 1 }).use(2);
    expect(await kept.metric('svc_dispatch_places_held')).toEqual([[undefined, 3]]);
    expect(await kept.metric('svc_dispatch_places_used')).toEqual([[undefined, 2]]);
  });
});

describe('a keeper that stops', () => {
  it('leaves others what it does not use at once, and the rest when its work is over', async () => {
    const kept = new Kept().with({ me: 4 }).use(4, 1);
    kept.keeper.shareOf('held by nobody here');
    kept.keeper.onModuleDestroy();
    await new Promise(setImmediate);
    expect(kept.store.holdings).toEqual({ me: 1 });
    // Somebody else writes at the same time.
    kept.store.put({ me: 1, other: 3 });
    await kept.keeper.beforeApplicationShutdown();
    expect(kept.store.holdings).toEqual({ other: 3 });
    expect([kept.store.isStopped, kept.store.reads]).toEqual([true, 1]);
  });

  it('does not wait for ever for a JetStream that does not answer at the end', async () => {
    const kept = new Kept().with({ me: 2 });
    kept.store.answer = new Promise(() => undefined);
    await kept.keeper.beforeApplicationShutdown();
    expect([kept.store.writes, kept.store.isStopped]).toEqual([1, true]);
  }, 20_000);

  it('looks after nothing any more', async () => {
    jest.useFakeTimers();
    const { keeper } = new Kept();
    const stopped = keeper.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(0);
    await stopped;
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});
