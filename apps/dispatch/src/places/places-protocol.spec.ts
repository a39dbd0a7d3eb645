import fc from 'fast-check';
import type { Holdings, StoredHoldings } from './holdings';
import { OfferShare } from './offer-share';

const INSTANCES = 3;

/** A write on its way to the key, decided on a revision. */
interface Write {
  holdings: Holdings;
  revision: number;
}

/** An instance: its share, what it was told and has not read, its write under way. */
class Instance {
  readonly share: OfferShare;
  readonly unread: StoredHoldings[] = [];
  write: Write | undefined;
  dead = false;

  constructor(readonly id: string) {
    this.share = new OfferShare(id);
  }
}

/** Instances around one key, with a network that delays, loses and reorders between them. */
class World {
  nowMs = 0;
  concurrency: number;
  key: StoredHoldings = { revision: 0, holdings: new Map() };
  readonly instances = Array.from({ length: INSTANCES }, (_, index) => new Instance(`i${index}`));
  /** Writes that nobody waits for any more: they may come yet. */
  private readonly late: Write[] = [];
  private readonly lost = new Set<string>();

  /** More are never to be used. */
  promised: number;

  constructor(concurrency: number) {
    this.concurrency = this.promised = concurrency;
  }

  get inUse(): number {
    return this.instances.reduce((sum, { share, dead }) => sum + (dead ? 0 : share.inUse), 0);
  }

  at(index: number): Instance {
    return this.instances[index] as Instance;
  }

  /** A request comes: it takes a place or waits. */
  arrive({ share, dead }: Instance): void {
    if (dead) return;
    share.concurrency = this.concurrency;
    if (share.free > 0 && share.waiting === 0) this.take(share);
    else share.waiting++;
  }

  finish({ share, dead }: Instance): void {
    if (dead || share.inUse === 0) return;
    share.giveBack(this.nowMs);
    this.serve(share);
  }

  /** Reads the key if it must, and sends what is to be changed. */
  begin(instance: Instance): void {
    if (instance.dead || instance.write) return;
    const { share } = instance;
    if (!share.stored) share.learn(this.key, this.nowMs);
    const revision = share.stored?.revision ?? 0;
    const isLost = (id: string) => this.lost.has(id);
    const holdings = share.plan({ count: INSTANCES, isLost }, this.nowMs);
    if (holdings) instance.write = { holdings, revision };
    else this.serve(share);
  }

  /** The write arrives at the key, and its outcome at the writer, or not. */
  deliver(instance: Instance, isAnswered: boolean): void {
    const { write, share } = instance;
    if (!write) return;
    instance.write = undefined;
    const isWritten = this.arriveAtKey(write);
    if (instance.dead) return;
    if (!isAnswered) return;
    if (isWritten) share.wrote(this.key, this.nowMs);
    else share.learn(this.key, this.nowMs);
    this.serve(share);
  }

  /** The write is lost on its way. */
  lose(instance: Instance): void {
    if (instance.write) instance.write = undefined;
  }

  /** The writer does not wait for its write any longer. */
  giveUp(instance: Instance): void {
    if (instance.write) this.late.push(instance.write);
    instance.write = undefined;
  }

  /** One of those that were given up arrives at the key after all. */
  comeLate(index: number): void {
    const [write] = this.late.splice(index % Math.max(1, this.late.length), 1);
    if (write) this.arriveAtKey(write);
  }

  read({ share, unread, dead }: Instance): void {
    const next = unread.shift();
    if (next && !dead) share.learn(next, this.nowMs);
  }

  wish({ id, share, dead }: Instance): void {
    if (dead) return;
    for (const other of this.instances) {
      if (other.id !== id) other.share.wishes.set(id, share.waiting, this.nowMs);
    }
  }

  /** The connection is lost, and back: nothing that was sent over the former one comes any more. */
  loseTouch({ share, unread }: Instance, isHeard: boolean): void {
    unread.length = 0;
    share.forget(isHeard);
  }

  die(instance: Instance): void {
    instance.dead = true;
    this.lost.add(instance.id);
  }

  private arriveAtKey({ revision, holdings }: Write): boolean {
    if (revision !== this.key.revision) return false;
    this.key = { revision: revision + 1, holdings };
    for (const { unread } of this.instances) unread.push(this.key);
    return true;
  }

  private serve(share: OfferShare): void {
    while (share.waiting > 0 && share.free > 0) {
      share.waiting--;
      this.take(share);
    }
  }

  private take(share: OfferShare): void {
    const before = this.inUse;
    share.take(this.nowMs);
    // The promise: nobody takes a place that is not there.
    if (before >= this.promised) throw new Error(`${before + 1} in use of ${this.promised}`);
  }
}

const index = fc.nat(INSTANCES - 1);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('arrive' as const), index }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('finish' as const), index }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('begin' as const), index }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('deliver' as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deliverUnanswered' as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('giveUp' as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('comeLate' as const), index }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const), index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wish' as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endPeriod' as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('loseTouch' as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('loseTouchShortly' as const), index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(100) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function apply(world: World, taken: Step): void {
  if (taken.kind === 'pass') {
    world.nowMs += taken.ms;
    return;
  }
  const instance = world.at(taken.index);
  const moves: Record<Exclude<Step['kind'], 'pass'>, () => void> = {
    arrive: () => world.arrive(instance),
    finish: () => world.finish(instance),
    begin: () => world.begin(instance),
    deliver: () => world.deliver(instance, true),
    deliverUnanswered: () => world.deliver(instance, false),
    lose: () => world.lose(instance),
    giveUp: () => world.giveUp(instance),
    comeLate: () => world.comeLate(taken.index),
    read: () => world.read(instance),
    wish: () => world.wish(instance),
    endPeriod: () => instance.share.endPeriod(),
    loseTouch: () => world.loseTouch(instance, false),
    loseTouchShortly: () => world.loseTouch(instance, true),
  };
  moves[taken.kind]();
}

/** Everything that is on its way arrives, and everybody does what is to be done, until nothing changes any more. */
function comeToRest(world: World): void {
  for (let round = 0; round < 200; round++) {
    world.nowMs += 60;
    for (const instance of world.instances) {
      while (instance.unread.length > 0) world.read(instance);
      world.wish(instance);
      world.begin(instance);
      world.deliver(instance, true);
    }
  }
}

describe('the protocol of places', () => {
  it('never lets more be used than there are, whatever is delayed, lost or answered to nobody', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { maxLength: 300, size: 'max' }),
        (places, steps) => {
          const world = new World(places);
          for (const taken of steps) apply(world, taken);
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it('leaves no place free that somebody waits for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { maxLength: 200, size: 'max' }),
        (places, steps) => {
          const world = new World(places);
          for (const taken of steps) apply(world, taken);
          comeToRest(world);
          const waiting = world.instances.reduce((sum, { share }) => sum + share.waiting, 0);
          if (waiting > 0) expect(world.inUse).toBe(places);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('gives what the dead held to those who wait, and no more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { maxLength: 200, size: 'max' }),
        index,
        fc.array(step, { maxLength: 100, size: 'max' }),
        (places, steps, victim, later) => {
          const world = new World(places);
          for (const taken of steps) apply(world, taken);
          world.die(world.at(victim));
          for (const taken of later) apply(world, taken);
          comeToRest(world);
          const living = world.instances.filter(({ dead }) => !dead);
          const waiting = living.reduce((sum, { share }) => sum + share.waiting, 0);
          if (waiting > 0) expect(world.inUse).toBe(places);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('keeps to a concurrency that was lowered, and uses one that was raised', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { maxLength: 150, size: 'max' }),
        fc.array(step, { maxLength: 150, size: 'max' }),
        (before, after, steps, later) => {
          const world = new World(before);
          for (const taken of steps) apply(world, taken);
          world.concurrency = after;
          world.promised = Math.max(before, after);
          for (const { share } of world.instances) share.concurrency = after;
          for (const taken of later) apply(world, taken);
          comeToRest(world);
          // Everybody knows who holds what by now.
          world.promised = after;
          for (const taken of later) apply(world, taken);
          comeToRest(world);
          const waiting = world.instances.reduce((sum, { share }) => sum + share.waiting, 0);
          if (waiting > 0) expect(world.inUse).toBeGreaterThanOrEqual(after);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('shares evenly what all want', () => {
    const world = new World(6);
    for (const instance of world.instances) for (let each = 0; each < 20; each++) world.arrive(instance);
    comeToRest(world);
    const served = new Map(world.instances.map(({ id }) => [id, 0]));
    for (let round = 0; round < 15; round++) {
      for (const instance of world.instances) {
        const { inUse } = instance.share;
        for (let each = 0; each < inUse; each++) world.finish(instance);
        served.set(instance.id, (served.get(instance.id) ?? 0) + inUse);
        for (let each = 0; each < inUse; each++) world.arrive(instance);
      }
      comeToRest(world);
      expect(world.inUse).toBe(6);
    }
    expect(Math.min(...served.values())).toBeGreaterThan(0.6 * Math.max(...served.values()));
  });
});
