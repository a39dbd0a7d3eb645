import { Injectable } from '@nestjs/common';
import type { OfferShare } from './offer-share';
import { PlaceKeeper } from './place-keeper.service';
import { PlaceQueue } from './place-queue';
import type { Waiter } from './place-queue';
import { PlacesMetrics } from './places.metrics';
import type { WaitOutcome } from './places.metrics';

/** An offer, and how many requests it was certified to take at once. */
export interface PlaceOffer {
  readonly offerId: string;
  readonly concurrency: number;
}

/** How many may wait for an offer: twice its concurrency, but no fewer and no more than these. */
const LEAST_WAITING = 16;
const MOST_WAITING = 256;
/** How long it takes at most to get a place that nobody holds. */
const UNHELD_MS = 250;
/** How long it takes another instance to hand over one that it does not use. */
const HANDED_OVER_MS = 15;
/** If it did not, it needs what it has: it is not asked again before that for a request that can go elsewhere. */
const FUTILE_MS = 100;
const UNKNOWN_RETRY_SECONDS = 5;
const MOST_RETRY_SECONDS = 30;

/**
 * The places at the offers: who holds one may ask the offer, and gives it back afterwards. All instances of dispatch together never
 * take more of an offer's than its concurrency.
 */
@Injectable()
export class OfferPlaces {
  private readonly queue = new PlaceQueue();
  /** Until when it is of no use to ask other instances for a place at an offer. */
  private readonly futileUntilMs = new WeakMap<OfferShare, number>();

  constructor(
    private readonly keeper: PlaceKeeper,
    private readonly metrics: PlacesMetrics,
  ) {
    keeper.whenFree((offerId) => this.serveNext(offerId));
    metrics.watchWaiting(() => this.queue.size);
  }

  /** Takes a place if one is at hand and nobody waits for it. If none is, more are looked for, for whoever comes next. */
  take(offer: PlaceOffer): boolean {
    const share = this.shareOf(offer);
    if (share.waiting > 0) return false;
    if (share.free === 0 || !this.keeper.inTouch) {
      this.prepare(offer);
      return false;
    }
    share.take(performance.now());
    if (share.free === 0 && share.mayGrow) this.keeper.settle(offer.offerId);
    return true;
  }

  /** Fetches a place if none is at hand: somebody may want it soon. */
  prepare(offer: PlaceOffer): void {
    const share = this.shareOf(offer);
    if (share.free > 0) return;
    share.miss(performance.now());
    if (share.mayGrow) this.keeper.settle(offer.offerId);
  }

  /** Takes a place if one is at hand, or can be had before it is worth going elsewhere: one that nobody uses. */
  async takeSoon(offer: PlaceOffer, signal?: AbortSignal): Promise<boolean> {
    if (this.take(offer)) return true;
    const share = this.shareOf(offer);
    if (performance.now() < (this.futileUntilMs.get(share) ?? 0)) return false;
    // Whoever waits already comes first, and other instances may want some as well.
    const isUnheld = share.unheld / this.keeper.instances > share.waiting;
    if (!isUnheld && (share.waiting > 0 || !share.isShared)) return false;
    const found = await this.wait([offer], isUnheld ? UNHELD_MS : HANDED_OVER_MS, signal);
    // That one waits no longer says nothing of the place.
    if (found === undefined && !signal?.aborted) {
      this.futileUntilMs.set(share, performance.now() + FUTILE_MS);
    }
    return found !== undefined;
  }

  /**
   * Waits until one of the offers has a place, and takes it. The wait is short, and no more than a limited number may wait for an
   * offer; who came first is first. In a full queue a client with more than half of it makes room for another.
   * @param patienceMs how long at most
   * @param wallet whose request it is
   * @returns whose place was taken, which is to be given back even if the signal was aborted meanwhile; undefined when none came free
   *   in time, too many wait, or the signal was aborted
   */
  async wait(
    offers: readonly PlaceOffer[],
    patienceMs: number,
    signal?: AbortSignal,
    wallet?: string,
  ): Promise<string | undefined> {
    const found = offers.find((offer) => this.take(offer));
    if (found) return found.offerId;
    if (signal?.aborted) return this.unserved('aborted');
    let open = offers.filter((offer) => this.queue.lengthOf(offer.offerId) < mostWaiting(offer));
    if (open.length === 0) {
      const emptied = offers.find(({ offerId }) => this.makeRoom(offerId, wallet));
      if (!emptied) return this.unserved('too_many');
      open = [emptied];
    }
    const offerIds = open.map(({ offerId }) => offerId);
    return this.queueUp({ offerIds, wallet }, patienceMs, signal);
  }

  giveBack(offerId: string): void {
    const share = this.keeper.shareOf(offerId);
    const nowMs = performance.now();
    const isOwed = share.giveBack(nowMs);
    this.serveNext(offerId);
    if (isOwed || share.waiting > 0 || share.isOverdrawn || share.wishes.some(nowMs)) {
      this.keeper.settle(offerId);
    }
  }

  /** Whole seconds until one of the offers probably has a place, 1 to 30: from how long requests there have lately held one. */
  retryAfterSeconds(offerIds: readonly string[]): number {
    const nowMs = performance.now();
    const seconds = offerIds.map((offerId) => {
      const freeAfterMs = this.keeper.shareOf(offerId).freeAfterMs(this.keeper.instances, nowMs);
      return freeAfterMs === undefined ? UNKNOWN_RETRY_SECONDS : freeAfterMs / 1000;
    });
    const earliest = seconds.length === 0 ? UNKNOWN_RETRY_SECONDS : Math.min(...seconds);
    return Math.min(MOST_RETRY_SECONDS, Math.max(1, Math.ceil(earliest)));
  }

  /** One client must not keep all others out with requests that cost it nothing while they wait. */
  private makeRoom(offerId: string, wallet: string | undefined): boolean {
    const last = wallet === undefined ? undefined : this.queue.lastOfCrowd(offerId);
    if (!last || last.wallet === wallet) return false;
    last.giveWay();
    return true;
  }

  private queueUp(
    { offerIds, wallet }: Pick<Waiter, 'offerIds' | 'wallet'>,
    patienceMs: number,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    return new Promise((resolve) => {
      const end = (outcome: WaitOutcome, offerId?: string) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.noteWaiting(offerIds);
        this.metrics.waitEnded(outcome);
        resolve(offerId);
      };
      const waiter: Waiter = {
        offerIds,
        wallet,
        admit: (offerId) => end('got', offerId),
        giveWay: () => abandon('too_many'),
      };
      const abandon = (outcome: WaitOutcome) => {
        if (this.queue.leave(waiter)) end(outcome);
      };
      const abort = () => abandon('aborted');
      const timer = setTimeout(() => abandon('timed_out'), patienceMs);
      signal?.addEventListener('abort', abort);
      this.queue.join(waiter);
      this.noteWaiting(offerIds);
      for (const offerId of offerIds) this.keeper.settle(offerId);
    });
  }

  /** Whatever is free goes to those who have waited longest. */
  private serveNext(offerId: string): void {
    const share = this.keeper.shareOf(offerId);
    while (share.waiting > 0 && share.free > 0 && this.keeper.inTouch) {
      share.take(performance.now());
      this.queue.admitFirst(offerId);
    }
  }

  private noteWaiting(offerIds: readonly string[]): void {
    for (const offerId of offerIds) {
      this.keeper.shareOf(offerId).waiting = this.queue.lengthOf(offerId);
    }
  }

  private unserved(outcome: WaitOutcome): undefined {
    this.metrics.waitEnded(outcome);
    return undefined;
  }

  private shareOf({ offerId, concurrency }: PlaceOffer): OfferShare {
    const share = this.keeper.shareOf(offerId);
    share.concurrency = concurrency;
    return share;
  }
}

function mostWaiting({ concurrency }: PlaceOffer): number {
  return Math.min(MOST_WAITING, Math.max(LEAST_WAITING, 2 * concurrency));
}
