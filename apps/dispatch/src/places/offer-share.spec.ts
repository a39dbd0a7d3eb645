import { OfferShare } from './offer-share';
import type { Restraint } from './offer-share';

const START_MS = 1_000;
const DUE_MS = START_MS + 50;

/** What an instance writes that shares an offer with another one. */
class Shared {
  readonly share = new OfferShare('me');
  private revision = 0;

  constructor(holdings: Record<string, number>, concurrency = 8) {
    this.share.concurrency = concurrency;
    this.learn(holdings);
  }

  learn(holdings: Record<string, number>): void {
    const stored = { revision: ++this.revision, holdings: new Map(Object.entries(holdings)) };
    this.share.learn(stored, START_MS);
  }

  use(count: number): this {
    for (; this.share.inUse < count;) this.share.take(START_MS);
    for (; this.share.inUse > count;) this.share.giveBack(START_MS);
    return this;
  }

  /** What is planned, and written. */
  write(
    nowMs = START_MS,
    { restraint, lost = [] }: { restraint?: Restraint; lost?: string[] } = {},
  ): object | undefined {
    const neighbours = { count: 2, isLost: (instanceId: string) => lost.includes(instanceId) };
    const holdings = this.share.plan(neighbours, nowMs, restraint);
    if (!holdings) return undefined;
    this.share.wrote({ revision: ++this.revision, holdings }, nowMs);
    return Object.fromEntries(holdings);
  }
}

describe('what an instance takes', () => {
  it('is some ahead of what it needs, up to its fair part, and beyond that what it needs', () => {
    const shared = new Shared({});
    const { share } = shared;
    share.waiting = 1;
    expect(shared.write()).toEqual({ me: 2 });
    shared.use(2);
    expect(shared.write()).toEqual({ me: 4 });
    shared.use(4);
    expect(shared.write()).toEqual({ me: 5 });
    share.waiting = 9;
    shared.learn({ me: 5, other: 1 });
    expect(shared.write()).toEqual({ me: 7, other: 1 });
    expect(shared.write()).toBeUndefined();
  });

  it('is what it needs and no more when another one needs some', () => {
    const shared = new Shared({});
    shared.share.waiting = 1;
    shared.share.wishes.set('other', 1, START_MS);
    expect(shared.write()).toEqual({ me: 1 });
  });

  it('is for another request yet when one found no place, for half a second', () => {
    const { share } = new Shared({});
    share.miss(START_MS);
    expect([share.demand(START_MS + 499), share.demand(START_MS + 500)]).toEqual([1, 0]);
    share.waiting = 3;
    expect(share.demand(START_MS + 499)).toBe(3);
  });

  it('is also what the dead held, and never without what it holds itself', () => {
    const shared = new Shared({ me: 1, dead: 3 }, 4).use(1);
    shared.share.waiting = 9;
    expect(shared.write(START_MS, { lost: ['me', 'dead'] })).toEqual({ me: 4 });
  });

  it.each([
    ['nobody has said who holds some', undefined, true],
    ['another one holds some', { me: 4, other: 4 }, true],
    ['nobody holds some', { me: 7 }, true],
    ['it holds all', { me: 8 }, false],
  ])('may be more when %s', (_, holdings, mayGrow) => {
    const share = holdings ? new Shared(holdings).share : new OfferShare('me');
    expect(share.mayGrow).toBe(mayGrow);
  });
});

describe('what an instance gives up', () => {
  it('is what goes beyond twice what it used at once in this period and the one before', () => {
    const shared = new Shared({ me: 8 }).use(2).use(0).use(1).use(0);
    expect(shared.write()).toEqual({ me: 4 });
    shared.share.endPeriod();
    expect(shared.write()).toBeUndefined();
    shared.use(1).share.endPeriod();
    expect(shared.write()).toEqual({ me: 2 });
  });

  it('is what it does not use of what is too many, when the offer takes fewer than it did', () => {
    const shared = new Shared({ me: 5, other: 2 }).use(5).use(3);
    shared.share.concurrency = 6;
    expect(shared.write()).toEqual({ me: 4, other: 2 });
    shared.share.concurrency = 2;
    expect([shared.share.isOverdrawn, shared.write()]).toEqual([true, { me: 3, other: 2 }]);
  });

  it('is half of what nobody here waits for, to those who have fewest', () => {
    const shared = new Shared({ me: 5, some: 2 }).use(5).use(2);
    for (const instanceId of ['some', 'none']) shared.share.wishes.set(instanceId, 1, START_MS);
    expect(shared.write()).toEqual({ me: 3, some: 3, none: 1 });
    const last = new Shared({ me: 5, some: 2 }).use(5).use(4);
    for (const instanceId of ['some', 'none']) last.share.wishes.set(instanceId, 3, START_MS);
    expect(last.write()).toEqual({ me: 4, some: 2, none: 1 });
  });

  it('is nothing to whom has got what it wished for by then', () => {
    const shared = new Shared({ me: 4 }).use(4).use(0);
    shared.share.wishes.set('other', 1, START_MS);
    shared.learn({ me: 4, other: 1 });
    expect(shared.write()).toBeUndefined();
    shared.share.wishes.set('other', 2, START_MS);
    shared.learn({ me: 4, other: 2 });
    expect(shared.share.wishes.fewestFirst(START_MS, () => 0)).toEqual([{ instanceId: 'other', count: 1 }]);
  });

  it.each([
    ['two fewer', { me: 3, other: 1 }, START_MS, { me: 2, other: 2 }],
    ['one fewer, and whose turn it is', { me: 2, other: 1 }, DUE_MS, { me: 1, other: 2 }],
  ])('goes to one who has %s though somebody waits here', (_, holdings, nowMs, written) => {
    const shared = new Shared(holdings, 4).use(holdings.me);
    const { share } = shared;
    share.waiting = 1;
    share.wishes.set('other', 2, START_MS);
    expect(share.giveBack(nowMs)).toBe(true);
    expect(share.free).toBe(0);
    expect(shared.write(nowMs)).toEqual(written);
  });

  it.each([
    ['one fewer, before it is its turn', { me: 2, other: 1 }, DUE_MS - 1],
    ['as many', { me: 2, other: 2 }, DUE_MS],
    ['more', { me: 1, other: 3 }, DUE_MS],
  ])('goes to who waits here when the other has %s', (_, holdings, nowMs) => {
    const { share } = new Shared(holdings, 4).use(holdings.me);
    share.waiting = 1;
    share.wishes.set('other', 2, START_MS);
    expect(share.giveBack(nowMs)).toBe(false);
    expect(share.free).toBe(1);
  });
});

describe('while it is not known what became of a write that gives some up', () => {
  const neighbours = { count: 2, isLost: () => false };
  const plan = (share: OfferShare) => {
    const holdings = share.plan(neighbours, START_MS);
    return holdings && Object.fromEntries(holdings);
  };
  /** Has written that it gives up all, and then all but two, as one is needed after all. */
  const undecided = () => {
    const { share } = new Shared({ me: 4 }, 4);
    expect(plan(share)).toEqual({});
    share.waiting = 1;
    expect(plan(share)).toEqual({ me: 2 });
    return share;
  };

  it('what is not given up may be used', () => {
    const { share } = new Shared({ me: 8 }).use(2).use(0);
    expect([plan(share), share.free]).toEqual([{ me: 4 }, 4]);
  });

  it('the least that was written is what may be used, and it is written again to find out', () => {
    const share = undecided();
    expect(share.free).toBe(0);
    share.forget(true);
    share.learn({ revision: 1, holdings: new Map([['me', 4]]) }, START_MS);
    expect([share.free, plan(share)]).toEqual([0, { me: 2 }]);
  });

  it('a later state of the key says that none of them comes any more', () => {
    const share = undecided();
    share.learn({ revision: 2, holdings: new Map([['me', 4]]) }, START_MS);
    expect(share.free).toBe(4);
  });

  it('so does a write that came through, also in a bucket whose revisions have begun anew', () => {
    const share = new OfferShare('me');
    share.concurrency = 2;
    share.learn({ revision: 7, holdings: new Map([['me', 2]]) }, START_MS);
    expect(plan(share)).toEqual({});
    share.forget(true);
    share.learn({ revision: 1, holdings: new Map([['me', 2]]) }, START_MS);
    expect(share.free).toBe(0);
    share.waiting = 2;
    share.wrote({ revision: 2, holdings: share.plan(neighbours, START_MS) ?? new Map() }, START_MS);
    expect(share.free).toBe(2);
  });
});

describe('an instance that is not as ever', () => {
  const write = (shared: Shared, restraint: Restraint) => shared.write(START_MS, { restraint });

  it('claims what it holds or uses, and takes and gives nothing else', () => {
    const busy = new Shared({ me: 2 }).use(2);
    busy.share.waiting = 1;
    expect(write(busy, 'claims')).toBeUndefined();
    busy.learn({ other: 8 });
    expect(write(busy, 'claims')).toEqual({ me: 2, other: 8 });
    const idle = new Shared({ me: 4 });
    idle.share.wishes.set('other', 1, START_MS);
    expect(write(idle, 'claims')).toBeUndefined();
  });

  it('gives up what its work under way and those who wait do not need before it stops', () => {
    const shared = new Shared({ me: 6 }).use(5).use(2);
    shared.share.waiting = 1;
    expect(write(shared, 'gives_up_spare')).toEqual({ me: 3 });
    shared.share.waiting = 0;
    shared.share.miss(START_MS);
    expect(write(shared, 'gives_up_spare')).toEqual({ me: 2 });
    shared.share.waiting = 1;
    expect(write(shared, 'gives_up_spare')).toEqual({ me: 3 });
  });

  it('gives up everything in the end', () => {
    expect(write(new Shared({ me: 6, other: 1 }).use(2), 'gives_up_all')).toEqual({ other: 1 });
  });
});
