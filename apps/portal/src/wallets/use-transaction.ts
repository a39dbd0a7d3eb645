import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { api, dataOf } from '../../api/client';
import { useConfig } from '../../api/config';
import { queryKeys } from '../../api/query-keys';
import { announce } from '../../design/announcer';
import type { ConnectedWallet } from '../../wallets/connected-wallet';
import { useWallet } from '../../wallets/wallet-context';

/** Where a transaction is on its way. */
export type TransactionStep =
  | { kind: 'idle' }
  | { kind: 'asking' }
  | { kind: 'sent'; hash: string }
  | { kind: 'done'; hash: string }
  | { kind: 'failed'; error: unknown };

export interface TransactionState {
  step: TransactionStep;
  isBusy: boolean;
  /** Sends a call to the token and waits for its block. @returns whether it is in one */
  run: (encode: (wallet: ConnectedWallet) => Promise<string>) => Promise<boolean>;
  reset: () => void;
}

/** A transaction to the USDC contract by the wallet that is signed in; afterwards the wallet is read from the chain again. */
export function useTransaction(): TransactionState {
  const queries = useQueryClient();
  const { chain } = useConfig();
  const { requireWallet } = useWallet();
  const [step, setStep] = useState<TransactionStep>({ kind: 'idle' });
  const reset = useCallback(() => setStep({ kind: 'idle' }), []);

  /** The marketplace would see it by itself within seconds; a failure to hurry it is no failure of the transaction. */
  const refresh = () =>
    dataOf(api.POST('/portal/api/wallet/refresh')).then(
      (position) => void queries.setQueryData(queryKeys.wallet, position),
      () => queries.invalidateQueries({ queryKey: queryKeys.wallet }),
    );

  const run: TransactionState['run'] = async (encode) => {
    setStep({ kind: 'asking' });
    try {
      const wallet = await requireWallet();
      const hash = await wallet.sendTransaction({ to: chain.usdc, data: await encode(wallet) });
      setStep({ kind: 'sent', hash });
      announce('Sent. Waiting for the network.');
      await wallet.waitForTransaction(hash);
      await refresh();
      setStep({ kind: 'done', hash });
      announce('Confirmed');
      return true;
    } catch (error) {
      setStep({ kind: 'failed', error });
      return false;
    }
  };
  return { step, isBusy: step.kind === 'asking' || step.kind === 'sent', run, reset };
}
