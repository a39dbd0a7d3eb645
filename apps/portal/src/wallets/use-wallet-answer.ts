import { useCallback, useState } from 'react';
import { stoppable } from './stoppable';

/** What was asked for is only signed, and sent from here. */
const NOT_USED = 'You stopped waiting for your wallet. What you sign there now is not used.';

interface WalletAnswer {
  /** Waits no longer; undefined while nothing is waited for. */
  stop: (() => void) | undefined;
  /** @throws WalletError once nobody waits any more: what the wallet answers then is dropped */
  until: <T>(answer: Promise<T>) => Promise<T>;
}

/** Waits for a wallet for as long as its owner likes: it may never answer. */
export function useWalletAnswer(): WalletAnswer {
  const [stop, setStop] = useState<() => void>();
  const until = useCallback(async <T>(answer: Promise<T>): Promise<T> => {
    const waiting = stoppable();
    setStop(() => () => waiting.stop(NOT_USED));
    try {
      return await waiting.until(answer);
    } finally {
      setStop(undefined);
    }
  }, []);
  return { stop, until };
}
