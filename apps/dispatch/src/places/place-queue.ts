/** One request that waits for a place at any of several offers. */
export interface Waiter {
  readonly offerIds: readonly string[];
  /** Gets the place: the offer's id. */
  readonly admit: (offerId: string) => void;
  /** Whose request it is; undefined where it does not matter. */
  readonly wallet?: string;
  /** Waits no longer: somebody else may. */
  readonly giveWay: () => void;
}

/** Who waits for a place, offer by offer: first come, first served. Somebody may wait in several queues and leaves all of them at once. */
export class PlaceQueue {
  private readonly queues = new Map<string, Set<Waiter>>();
  private waiters = 0;

  /** How many wait, all offers together. */
  get size(): number {
    return this.waiters;
  }

  lengthOf(offerId: string): number {
    return this.queues.get(offerId)?.size ?? 0;
  }

  /** Of the one wallet that has more than half of an offer's queue, who came last. */
  lastOfCrowd(offerId: string): Waiter | undefined {
    const queue = this.queues.get(offerId) ?? new Set<Waiter>();
    const byWallet = new Map<string, number>();
    for (const { wallet } of queue) {
      if (wallet !== undefined) byWallet.set(wallet, (byWallet.get(wallet) ?? 0) + 1);
    }
    const crowd = [...byWallet].find(([, count]) => 2 * count > queue.size)?.[0];
    return crowd === undefined ? undefined : [...queue].findLast(({ wallet }) => wallet === crowd);
  }

  join(waiter: Waiter): void {
    this.waiters++;
    for (const offerId of waiter.offerIds) {
      const queue = this.queues.get(offerId);
      if (queue) queue.add(waiter);
      else this.queues.set(offerId, new Set([waiter]));
    }
  }

  /** @returns false for one that waits no more */
  leave(waiter: Waiter): boolean {
    let found = false;
    for (const offerId of waiter.offerIds) {
      const queue = this.queues.get(offerId);
      if (!queue?.delete(waiter)) continue;
      found = true;
      if (queue.size === 0) this.queues.delete(offerId);
    }
    if (found) this.waiters--;
    return found;
  }

  /** Hands a place to whoever has waited longest. @returns whom, undefined when nobody waits */
  admitFirst(offerId: string): Waiter | undefined {
    const first = this.queues.get(offerId)?.values().next().value;
    if (!first) return undefined;
    this.leave(first);
    first.admit(offerId);
    return first;
  }
}
