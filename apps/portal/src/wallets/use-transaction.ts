import { useCallback } from 'react';
import { announce } from '../design/announcer';
import type { ConnectedWallet, TransactionReceipt } from './connected-wallet';
import { stoppable } from './stoppable';
import { useWallet } from './use-wallet';

/** Where a transaction is on its way. */
export type TransactionStep =
  | { kind: 'idle' }
  /** `stop` waits no longer for the wallet, which may never answer. */
  | { kind: 'asking'; stop: () => void }
  | { kind: 'sent'; hash: string }
  | { kind: 'done'; hash: string }
  /** With a hash when it was sent all the same. */
  | { kind: 'failed'; error: unknown; hash?: string };

export const IDLE: TransactionStep = { kind: 'idle' };

/** The step, and what sets it: of a page's own, or one that outlasts the page, so that nothing that runs is forgotten or sent twice. */
export type StepState = readonly [step: TransactionStep, set: (step: TransactionStep) => void];

/** Once nobody waits any more. What the wallet has been asked to send cannot be taken back from here. */
const NOTHING_SENT = 'You stopped waiting for your wallet. Nothing was sent.';
const MAY_BE_SENT =
  'You stopped waiting for your wallet. If it still asks you, decline there: what you confirm is sent all the same.';

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
 * @param onMined awaited before it counts as done; where it rejects, the transaction has failed for that
 */
export function useTransaction(
  [step, setStep]: StepState,
  to: string,
  onMined: (receipt: TransactionReceipt) => Promise<unknown>,
): TransactionState {
  const { requireWallet } = useWallet();
  const reset = useCallback(() => setStep(IDLE), [setStep]);
  const run: TransactionState['run'] = async (encode) => {
    const { until, stop } = stoppable();
    let words = NOTHING_SENT;
    setStep({ kind: 'asking', stop: () => stop(words) });
    let hash: string | undefined;
    try {
      const wallet = await until(requireWallet());
      if (!wallet.offer.isDevelopment) announce('Confirm it in your wallet');
      const data = await until(encode(wallet));
      await until(wallet.ensureChain());
      words = MAY_BE_SENT;
      hash = await until(wallet.sendTransaction({ to, data }));
      setStep({ kind: 'sent', hash });
      announce('Sent. Waiting for the network.');
      await onMined(await wallet.waitForTransaction(hash));
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
