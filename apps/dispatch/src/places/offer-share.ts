import { HoldTime } from './hold-time';
import { isSame, totalOf, withCount } from './holdings';
import type { Holdings, StoredHoldings } from './holdings';
import { Wishes } from './wishes';

/** Among instances that hold one place more or less than each other, how long one keeps the extra place before it goes on to the next. */
const TURN_MS = 50;
/** How many places an instance that needs one takes at first, if nobody else needs them. */
const FIRST_CHUNK = 2;
/** For how long a request that found no place and went elsewhere is taken for a sign that more will come. */
const MISS_COUNTS_MS = 500;

/** What an instance knows of those beside it. */
export interface Neighbours {
  /** How many instances there are, this one included. */
  readonly count: number;
  isLost(instanceId: string): boolean;
}

/**
 * Not as ever: `claims` what it holds or uses and no more; about to stop, it `gives_up_spare`, what the work under way does not need,
 * then it `gives_up_all`.
 */
export type Restraint = 'claims' | 'gives_up_spare' | 'gives_up_all';

/**
 * One instance's share of an offer's places: what it holds by the key's last known state, and what it uses of that. Decides what
 * may be taken and what is to be written, and does nothing by itself.
 *
 * Whatever an instance uses stands in the key under its name. So the sum of what all use stays within what the key says, and
 * that within the concurrency: every change of the key is written against the revision it was decided on.
 */
export class OfferShare {
  /** As the catalogue last said; undefined while nobody here has asked for the offer. */
  concurrency: number | undefined;
  /** Requests here that wait for a place. */
  waiting = 0;
  readonly wishes = new Wishes();
  private readonly holdTime = new HoldTime();
  private known: StoredHoldings | undefined;
  /** Something else stands in the key than what is known: it is to be written again. */
  private isOverwritten = false;
  /** While it is unknown whether a write that lowers our count came through, the lower count is all that may be used. */
  private lowered: { count: number; revision: number } | undefined;
  private used = 0;
  /** Came free here, and are to go to others who have less. */
  private reserved = 0;
  private total = 0;
  private own = 0;
  private turnSinceMs = -Infinity;
  private missedMs = -Infinity;
  private peak = 0;
  private peakBefore = 0;

  constructor(private readonly instanceId: string) {}

  get inUse(): number {
    return this.used;
  }

  get stored(): StoredHoldings | undefined {
    return this.known;
  }

  /** What the key says that this instance holds. */
  get held(): number {
    return this.own;
  }

  /** How many may be taken now. */
  get free(): number {
    const excess = Math.max(0, this.total - (this.concurrency ?? Infinity));
    return Math.max(
      0,
      Math.min(this.own - excess, this.lowered?.count ?? Infinity) - this.used - this.reserved,
    );
  }

  /** Whether others hold some of the places. */
  get isShared(): boolean {
    return this.total > this.own;
  }

  /** How many places nobody holds, as far as is known. */
  get unheld(): number {
    return Math.max(0, (this.concurrency ?? 0) - this.total);
  }

  /** Whether there may be more to be had. */
  get mayGrow(): boolean {
    return !this.known || this.isShared || this.unheld > 0;
  }

  /** Whether the key says something else than what is used here. */
  get isOverdrawn(): boolean {
    return this.isOverwritten || this.own < this.used || this.total > (this.concurrency ?? Infinity);
  }

  /** Nothing is to be remembered. */
  get isIdle(): boolean {
    return this.used === 0 && this.waiting === 0 && !this.lowered && this.total === 0;
  }

  /** To be called for free ones only. */
  take(nowMs: number): void {
    this.holdTime.note(this.used, nowMs);
    this.used++;
    if (this.used > this.peak) this.peak = this.used;
  }

  /** @returns whether the place is owed to another instance that has less: {@link plan} gives it away */
  giveBack(nowMs: number): boolean {
    this.holdTime.note(this.used, nowMs);
    this.holdTime.end();
    this.used--;
    const holdings = this.known?.holdings;
    const isOwed = this.wishes.some(nowMs, (id) => this.isDue(this.own, holdings?.get(id) ?? 0, nowMs));
    if (isOwed) this.reserved++;
    return isOwed;
  }

  /**
   * When a place probably comes free here for one who comes now and waits behind those who wait.
   * @param instances how many share the offer
   * @returns undefined while it is not known how long requests hold a place
   */
  freeAfterMs(instances: number, nowMs: number): number | undefined {
    const averageMs = this.holdTime.averageMs(this.used, nowMs);
    if (averageMs === undefined) return undefined;
    const fair = Math.floor((this.concurrency ?? 1) / instances);
    return (averageMs * (this.waiting + 1)) / Math.max(1, this.own, fair);
  }

  /** A request found no place. */
  miss(nowMs: number): void {
    this.missedMs = nowMs;
  }

  /** How many more are needed than are used. */
  demand(nowMs: number): number {
    return Math.max(this.waiting, nowMs - this.missedMs < MISS_COUNTS_MS ? 1 : 0);
  }

  /**
   * The key's state, from a watch, a reading, or a write of ours that came through. What is older than what is known says nothing; nor
   * does what no instance wrote, over which what is known is to be written.
   */
  learn({ revision, ...said }: StoredHoldings, nowMs: number): void {
    if (this.known && revision <= this.known.revision) return;
    const before = this.known?.holdings;
    const heldBefore = this.own;
    this.isOverwritten = said.isForeign === true;
    const holdings = (this.isOverwritten && before) || said.holdings;
    this.know({ revision, holdings });
    // Whatever was written against the older revision has come through by now or never will.
    if (this.lowered && revision > this.lowered.revision) this.lowered = undefined;
    if (this.own !== heldBefore) this.turnSinceMs = nowMs;
    if (!before) return;
    for (const [instanceId, count] of holdings) {
      this.wishes.granted(instanceId, count - (before.get(instanceId) ?? 0));
    }
  }

  /** What {@link plan} said was written, and stands. */
  wrote(stored: StoredHoldings, nowMs: number): void {
    this.lowered = undefined;
    this.learn(stored, nowMs);
  }

  /**
   * Contact was lost: what others have done meanwhile is not known, nor at which revision the key will be.
   * @param isHeard whether the others still hear this instance: then they leave it what it holds, which it goes on with until the key is read
   */
  forget(isHeard: boolean): void {
    if (isHeard) this.known = undefined;
    else this.know(undefined);
  }

  /**
   * What is to be written: undefined when the key is as it should be. Until {@link learn} or {@link wrote} is told what became of it,
   * no more is used than both states allow.
   */
  plan(neighbours: Neighbours, nowMs: number, restraint?: Restraint): Holdings | undefined {
    const { reserved } = this;
    this.reserved = 0;
    if (!this.known) return undefined;
    const living = [...this.known.holdings].filter(
      ([id]) => id === this.instanceId || !neighbours.isLost(id),
    );
    const others = totalOf(new Map(living)) - this.own;
    const count = this.ownCount(others, neighbours, nowMs, restraint);
    let next: Holdings = withCount(new Map(living), this.instanceId, count);
    if (!restraint) next = this.grant(next, Math.min(count, this.own) - this.used, reserved, nowMs);
    // After a write of unknown outcome another one tells: at most one of them can come through.
    if (isSame(next, this.known.holdings) && !this.lowered && !this.isOverwritten) return undefined;
    const own = next.get(this.instanceId) ?? 0;
    if (own < this.own) {
      const { revision } = this.known;
      this.lowered = { count: Math.min(own, this.lowered?.count ?? own), revision };
    }
    return next;
  }

  /** A period is over. Of what was not used in it nor in the one before, no more than as much again is kept. */
  endPeriod(): void {
    this.peakBefore = this.peak;
    this.peak = this.used;
  }

  private ownCount(others: number, neighbours: Neighbours, nowMs: number, restraint?: Restraint): number {
    if (restraint === 'gives_up_all') return 0;
    if (restraint === 'claims') return Math.max(this.own, this.used);
    const { concurrency = this.own + others } = this;
    // What is used is used, whatever the key says: somebody may have thought this instance dead.
    let own = Math.max(this.own, this.used);
    const excess = own + others - concurrency;
    if (excess > 0) return own - Math.min(own - this.used, excess);
    // Of one that stops, nobody asks again.
    const need = this.used + (restraint ? this.waiting : this.demand(nowMs));
    const mostKept = restraint ? need : Math.max(need, 2 * Math.max(this.peak, this.peakBefore));
    own = Math.min(own, mostKept);
    if (need === 0 || own > need) return own;
    // Some ahead, so that the next ones need not wait; not when somebody else needs them now.
    const fair = Math.max(1, Math.floor(concurrency / neighbours.count));
    const ahead = restraint || this.wishes.some(nowMs) ? 0 : Math.min(fair, Math.max(FIRST_CHUNK, 2 * own));
    return Math.max(own, Math.min(Math.max(need, ahead), concurrency - others));
  }

  /** Hands places that are not used to those who wish for them. */
  private grant(next: Holdings, idle: number, reserved: number, nowMs: number): Holdings {
    // Of what nobody here waits for, half is kept for who comes next.
    let most = this.waiting > 0 ? Math.min(idle, reserved) : Math.ceil(idle / 2);
    let granted = next;
    for (const { instanceId, count } of this.wishes.fewestFirst(nowMs, (id) => next.get(id) ?? 0)) {
      for (let wished = count; wished > 0 && most > 0; wished--) {
        const ours = granted.get(this.instanceId) ?? 0;
        const theirs = granted.get(instanceId) ?? 0;
        if (this.waiting > 0 && !this.isDue(ours, theirs, nowMs)) break;
        granted = withCount(withCount(granted, this.instanceId, ours - 1), instanceId, theirs + 1);
        most--;
      }
    }
    return granted;
  }

  private isDue(ours: number, theirs: number, nowMs: number): boolean {
    const more = ours - theirs;
    return more >= 2 || (more === 1 && nowMs - this.turnSinceMs >= TURN_MS);
  }

  private know(stored: StoredHoldings | undefined): void {
    this.known = stored;
    this.own = stored?.holdings.get(this.instanceId) ?? 0;
    this.total = stored ? totalOf(stored.holdings) : 0;
  }
}
