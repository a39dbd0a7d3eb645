import { useEffect, useState } from 'react';
import { WalletAnswers } from './wallet-answers';

interface WalletAnswer {
  /** Waits no longer; undefined while nothing is waited for. */
  stop: (() => void) | undefined;
  /** @throws WalletError once nobody waits any more, or has left: what the wallet answers then is dropped */
  until: <T>(answer: Promise<T>) => Promise<T>;
}

/** Waits for a wallet for as long as its owner likes and stays: it may never answer. */
export function useWalletAnswer(): WalletAnswer {
  const [stop, setStop] = useState<() => void>();
  const [answers] = useState(() => new WalletAnswers((next) => setStop(() => next)));
  useEffect(() => {
    answers.enter();
    return () => answers.leave();
  }, [answers]);
  return { stop, until: answers.until };
}
