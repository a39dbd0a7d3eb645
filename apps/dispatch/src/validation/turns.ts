/** Thrown when others went first for too long, nobody wants the turn any more, or too little was done in it. */
export class CrowdedOutError extends Error {}

interface Waiter {
  isWanted: () => boolean;
  enter: () => void;
  turnAway: () => void;
}

/** One at a time, each party in its turn: who comes with much to do waits for itself, not others for it. */
export class Turns {
  private readonly waiting = new Map<unknown, Waiter[]>();
  private isTaken = false;

  /** @param patienceMs how long anybody waits */
  constructor(private readonly patienceMs: number) {}

  /**
   * Waits until it is the party's turn; `pass` gives it on.
   * @param isWanted asked when the turn has come
   * @throws CrowdedOutError
   */
  async take(party: unknown, isWanted: () => boolean): Promise<void> {
    if (!this.isTaken) {
      this.isTaken = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        isWanted,
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
        turnAway: () => {
          clearTimeout(timer);
          reject(new CrowdedOutError());
        },
      };
      const timer = setTimeout(() => this.giveUp(party, waiter), this.patienceMs);
      this.waiting.set(party, [...(this.waiting.get(party) ?? []), waiter]);
    });
  }

  /** Whoever has the turn is done. */
  pass(): void {
    for (const [party, waiters] of this.waiting) {
      // To the end of the line, if it has more to do.
      this.waiting.delete(party);
      const at = waiters.findIndex(({ isWanted }) => isWanted());
      const unwanted = at < 0 ? waiters : waiters.slice(0, at);
      for (const waiter of unwanted) waiter.turnAway();
      const rest = at < 0 ? [] : waiters.slice(at + 1);
      if (rest.length > 0) this.waiting.set(party, rest);
      if (at >= 0) return waiters[at]?.enter();
    }
    this.isTaken = false;
  }

  private giveUp(party: unknown, waiter: Waiter): void {
    const rest = this.waiting.get(party)?.filter((other) => other !== waiter) ?? [];
    if (rest.length > 0) this.waiting.set(party, rest);
    else this.waiting.delete(party);
    waiter.turnAway();
  }
}
