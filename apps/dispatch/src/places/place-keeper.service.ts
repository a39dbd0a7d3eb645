import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { within } from '@svc/time-limit';
import type { StoredHoldings } from './holdings';
import { OfferShare } from './offer-share';
import type { Restraint } from './offer-share';
import { PlacePeers } from './place-peers.service';
import { PlaceStore } from './place-store.service';
import type { PlaceFollower } from './place-store.service';
import { PlaceWishes } from './place-wishes.service';
import type { PlaceWish } from './place-wishes.service';
import { PlacesMetrics } from './places.metrics';

/** How often it is looked whether somebody still waits; less than half of what a wish stands. */
const LOOK_MS = 200;
/** Places unused for one to two of these periods are given back. */
const PERIOD_MS = 15_000;
/** At shutdown, how long to wait for the last give-back to be written; runs may have used two thirds of the grace period already. */
const LAST_WORDS_MS = 800;
const LAST_WORDS_PAUSE_MS = 5;

interface Kept {
  readonly offerId: string;
  readonly share: OfferShare;
  /** The key is being read or written; then `again`: something has changed meanwhile. */
  working: boolean;
  again: boolean;
  /** Others were told that places are needed here. */
  hasWished: boolean;
}

/** Sees to it that this instance holds the places it needs and others get those they need: one offer's key, one change at a time. */
@Injectable()
export class PlaceKeeper
  implements PlaceFollower, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly kept = new Map<string, Kept>();
  /** Where somebody waits, or a write's outcome is to be found out. */
  private readonly unsettled = new Set<Kept>();
  private readonly timers: NodeJS.Timeout[] = [];
  private onFree: (offerId: string) => void = () => undefined;
  private givesUp: Restraint | undefined;
  private isAway = false;

  constructor(
    private readonly store: PlaceStore,
    private readonly peers: PlacePeers,
    private readonly wishes: PlaceWishes,
    private readonly metrics: PlacesMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const sum = (count: (share: OfferShare) => number) => () =>
      [...this.kept.values()].reduce((total, { share }) => total + count(share), 0);
    metrics.watchPlaces({ held: sum(({ held }) => held), used: sum(({ inUse }) => inUse) });
  }

  /** Whether what is held may be used: not by one whom others may take for dead. */
  get inTouch(): boolean {
    return this.peers.inTouch;
  }

  /** How many instances share the places. */
  get instances(): number {
    return this.peers.count;
  }

  shareOf(offerId: string): OfferShare {
    return this.at(offerId).share;
  }

  /** @param listener called when there may be free places that somebody waits for */
  whenFree(listener: (offerId: string) => void): void {
    this.onFree = listener;
  }

  /** Something has changed: more are needed, fewer, or somebody is owed one. Whoever waits here is served afterwards. */
  settle(offerId: string): void {
    void this.work(this.at(offerId));
  }

  onApplicationBootstrap(): void {
    this.peers.onLost((instanceId) => this.lost(instanceId));
    this.wishes.listen((wish) => this.wished(wish));
    this.store.follow(this);
    this.timers.push(
      setInterval(() => this.lookAfter(), LOOK_MS),
      setInterval(() => this.endPeriod(), PERIOD_MS),
    );
    for (const timer of this.timers) timer.unref();
  }

  /** What the runs under way do not need is free for others from now on. */
  onModuleDestroy(): void {
    this.givesUp = 'gives_up_spare';
    for (const one of this.kept.values()) if (one.share.held > 0) void this.work(one);
  }

  /** Every run is over, or broken off. */
  async beforeApplicationShutdown(): Promise<void> {
    this.givesUp = 'gives_up_all';
    for (const timer of this.timers.splice(0)) clearInterval(timer);
    // One that is not answered takes longer by itself.
    await within(LAST_WORDS_MS, this.giveUpAll(performance.now() + LAST_WORDS_MS));
    this.store.stop();
  }

  changed(offerId: string, stored: StoredHoldings): void {
    const { holdings } = stored;
    if (holdings.size === 0 && !this.kept.has(offerId)) return;
    const one = this.at(offerId);
    one.share.learn(stored, performance.now());
    // A write of ours may be told of here before it is answered.
    this.onFree(offerId);
    let isOwed = one.share.waiting > 0 || one.share.isOverdrawn;
    for (const instanceId of holdings.keys()) {
      this.peers.expect(instanceId);
      isOwed ||= this.peers.isLost(instanceId);
    }
    if (isOwed) void this.work(one);
  }

  lostTouch(): void {
    for (const { share } of this.kept.values()) share.forget(this.inTouch);
  }

  inTouchAgain(): void {
    for (const one of this.kept.values()) if (!one.share.stored) void this.work(one);
  }

  private async giveUpAll(untilMs: number): Promise<void> {
    while (performance.now() < untilMs) {
      const held = [...this.kept.values()].filter(({ share }) => share.held > 0);
      if (held.length === 0) return;
      await Promise.all(held.map((one) => this.work(one)));
      await delay(LAST_WORDS_PAUSE_MS);
    }
  }

  private lost(instanceId: string): void {
    const left = [...this.kept.values()].filter(({ share }) => share.stored?.holdings.has(instanceId));
    for (const one of left) void this.work(one);
    // Whoever leaves in order falls silent too, and has given its places up before.
    if (left.length === 0) this.logger.info({ instanceId }, 'an instance of dispatch is gone');
    else this.logger.warn({ instanceId }, 'an instance of dispatch fell silent: its places are free');
  }

  private wished({ offerId, instanceId, count }: PlaceWish): void {
    const one = this.kept.get(offerId);
    if (!one) return;
    one.share.wishes.set(instanceId, count, performance.now());
    if (count > 0 && one.share.free > 0) void this.work(one);
  }

  private async work(one: Kept): Promise<void> {
    one.again = true;
    if (one.working) return;
    one.working = true;
    try {
      while (one.again) {
        one.again = false;
        await this.bringUpToDate(one);
      }
      this.isAway = false;
    } catch (error) {
      this.metrics.writeEnded('failed');
      this.unsettled.add(one);
      if (!this.isAway) this.logger.warn({ err: error }, 'places cannot be kept');
      this.isAway = true;
    } finally {
      one.working = false;
      this.afterwards(one);
    }
  }

  /** Writes until the key is as it should be. */
  private async bringUpToDate({ offerId, share }: Kept): Promise<void> {
    for (;;) {
      if (!share.stored) share.learn(await this.store.read(offerId), performance.now());
      const { stored } = share;
      const holdings = share.plan(this.peers, performance.now(), this.restraint);
      if (!stored || !holdings) return;
      const revision = await this.store.write(offerId, holdings, stored.revision);
      this.metrics.writeEnded(revision === undefined ? 'conflict' : 'written');
      if (revision !== undefined) share.wrote({ revision, holdings }, performance.now());
      else this.learnAgain(share, stored.revision, await this.store.read(offerId));
      this.onFree(offerId);
    }
  }

  /** @param before the revision that the key had, or was said to have, before it was read */
  private learnAgain(share: OfferShare, before: number, read: StoredHoldings): void {
    // Revisions only grow. What is known already may be told of the new bucket.
    if (read.revision < before && share.stored?.revision === before) this.store.beginAnew();
    share.learn(read, performance.now());
  }

  private get restraint(): Restraint | undefined {
    return this.givesUp ?? (this.store.isBeingClaimed ? 'claims' : undefined);
  }

  /** Serves who waits; if that was not enough, others are asked. */
  private afterwards(one: Kept): void {
    const { offerId, share } = one;
    this.onFree(offerId);
    const demand = this.givesUp ? share.waiting : share.demand(performance.now());
    const wish = share.free === 0 && share.isShared ? demand : 0;
    if (demand > 0) this.unsettled.add(one);
    if (wish > 0 && !one.hasWished) this.wish(one, wish);
    else if (wish === 0 && one.hasWished) this.wish(one, 0);
  }

  private wish(one: Kept, count: number): void {
    one.hasWished = count > 0;
    this.wishes.say(one.offerId, count);
  }

  private lookAfter(): void {
    for (const one of this.unsettled) {
      this.unsettled.delete(one);
      // Said again while it stands.
      one.hasWished = false;
      void this.work(one);
    }
  }

  private endPeriod(): void {
    for (const one of this.kept.values()) {
      one.share.endPeriod();
      if (one.share.isIdle && !one.working && !this.unsettled.has(one)) this.kept.delete(one.offerId);
      else if (one.share.held > 0) void this.work(one);
    }
  }

  private at(offerId: string): Kept {
    let one = this.kept.get(offerId);
    if (!one) {
      one = {
        offerId,
        share: new OfferShare(this.peers.instanceId),
        working: false,
        again: false,
        hasWished: false,
      };
      this.kept.set(offerId, one);
    }
    return one;
  }
}
