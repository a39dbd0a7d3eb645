import { deferred } from './deferred';
import { WalletError } from './wallet-error';

interface Stoppable {
  /** @throws WalletError once nobody waits any more: what the wallet answers then is dropped */
  until: <T>(answer: Promise<T>) => Promise<T>;
  /** Waits no longer. @param words what that comes to */
  stop: (words: string) => void;
}

/** Waits for a wallet for as long as its owner likes: it may never answer. */
export function stoppable(): Stoppable {
  const stopped = deferred<never>();
  return {
    // The former first: an answer that came in the same moment is of nobody's interest any more.
    until: (answer) => Promise.race([stopped.promise, answer]),
    stop: (words) => stopped.reject(new WalletError(words, 'rejected')),
  };
}
