/** Strangers may ask again and again: so seldom the chain is read for them, and sooner for nobody. */
const INTERVAL_MS = 1_000;

interface Asked {
  readonly wallets: Set<string>;
  readonly turn: Promise<void>;
}

/**
 * Turns in which wallets are read that somebody asks for. They begin at most once a second, and all that are asked for before one begins are
 * read in it together.
 */
export class RefreshTurns {
  /** To be read in a turn that has not begun. */
  private asked: Asked | undefined;
  private nextFromMs = -Infinity;
  private endWait: (() => void) | undefined;
  private isLeaving = false;

  /** @param read does so when nothing else is read; asks for the wallets when it begins */
  constructor(private readonly read: (begin: () => readonly string[]) => Promise<void>) {}

  /** @returns when it was read, or could not be */
  ask(wallet: string): Promise<void> {
    this.asked ??= this.newTurn();
    this.asked.wallets.add(wallet);
    return this.asked.turn;
  }

  /** What has not begun reads nobody. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    this.endWait?.();
    await this.asked?.turn;
  }

  private newTurn(): Asked {
    const wallets = new Set<string>();
    const begin = () => {
      this.asked = undefined;
      this.nextFromMs = performance.now() + INTERVAL_MS;
      return this.isLeaving ? [] : [...wallets];
    };
    return { wallets, turn: this.due().then(() => this.read(begin)) };
  }

  private due(): Promise<void> {
    const waitMs = this.isLeaving ? 0 : this.nextFromMs - performance.now();
    if (waitMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
