import { useCallback, useState } from 'react';
import { announce } from '../design/announcer';
import type { ConnectedWallet } from './connected-wallet';
import { useWallet } from './wallet-context';

/** Where a transaction is on its way. */
export type TransactionStep =
  | { kind: 'idle' }
  | { kind: 'asking' }
  | { kind: 'sent'; hash: string }
  | { kind: 'done'; hash: string }
  /** With a hash when it was sent all the same. */
  | { kind: 'failed'; error: unknown; hash?: string };

export interface TransactionState {
  step: TransactionStep;
  isBusy: boolean;
  /** Sends a call to the contract and waits for its block. @returns whether it is in one */
  run: (encode: (wallet: ConnectedWallet) => Promise<string>) => Promise<boolean>;
  reset: () => void;
}

/**
 * A transaction by the wallet that is signed in.
 * @param to the contract
 * @param onMined awaited before it counts as done; must not reject
 */
export function useTransaction(to: string, onMined: () => Promise<unknown>): TransactionState {
  const { requireWallet } = useWallet();
  const [step, setStep] = useState<TransactionStep>({ kind: 'idle' });
  const reset = useCallback(() => setStep({ kind: 'idle' }), []);
  const run: TransactionState['run'] = async (encode) => {
    setStep({ kind: 'asking' });
    let hash: string | undefined;
    try {
      const wallet = await requireWallet();
      hash = await wallet.sendTransaction({ to, data: await encode(wallet) });
      setStep({ kind: 'sent', hash });
      announce('Sent. Waiting for the network.');
      await wallet.waitForTransaction(hash);
      await onMined();
      setStep({ kind: 'done', hash });
      announce('Confirmed');
      return true;
    } catch (error) {
      setStep({ kind: 'failed', error, ...(hash !== undefined && { hash }) });
      return false;
    }
  };
  return { step, isBusy: step.kind === 'asking' || step.kind === 'sent', run, reset };
}
