import { useCallback, useState } from 'react';
import { deferred } from './deferred';
import { WalletError } from './wallet-error';

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
    const stopped = deferred<never>();
    setStop(() => () => stopped.reject(notAwaited()));
    try {
      return await Promise.race([answer, stopped.promise]);
    } finally {
      setStop(undefined);
    }
  }, []);
  return { stop, until };
}

function notAwaited(): WalletError {
  return new WalletError(
    'You stopped waiting for your wallet. What you sign there now is not used.',
    'rejected',
  );
}
