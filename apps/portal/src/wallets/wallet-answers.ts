import { stoppable } from './stoppable';

/** What was asked for is only signed, and sent from here. */
const NOT_USED = 'You stopped waiting for your wallet. What you sign there now is not used.';

type Stop = () => void;

/** Waits for a wallet, once and again, for as long as its owner likes and somebody is there for the answer. */
export class WalletAnswers {
  private stop: Stop | undefined;
  private isAnybodyHere = true;

  /** @param tell what waits no longer; undefined while nothing is waited for */
  constructor(private readonly tell: (stop: Stop | undefined) => void) {}

  /** @throws WalletError once nobody waits any more: what the wallet answers then is dropped */
  readonly until = async <T>(answer: Promise<T>): Promise<T> => {
    const waiting = stoppable();
    this.set(() => waiting.stop(NOT_USED));
    if (!this.isAnybodyHere) this.stop?.();
    try {
      return await waiting.until(answer);
    } finally {
      this.set(undefined);
    }
  };

  enter(): void {
    this.isAnybodyHere = true;
  }

  /** Whoever asked has gone on to something else. */
  leave(): void {
    this.isAnybodyHere = false;
    this.stop?.();
  }

  private set(stop: Stop | undefined): void {
    this.stop = stop;
    this.tell(stop);
  }
}
