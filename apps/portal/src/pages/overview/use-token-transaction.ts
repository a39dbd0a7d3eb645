import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import { useConfig } from '../../api/config';
import { queryKeys } from '../../api/query-keys';
import { useTransaction } from '../../wallets/use-transaction';
import type { StepState, TransactionState } from '../../wallets/use-transaction';

/** A transaction to the USDC contract; afterwards the wallet is read from the chain again. */
export function useTokenTransaction(state: StepState): TransactionState {
  const queries = useQueryClient();
  const { chain } = useConfig();
  /** The marketplace would see it by itself within seconds; a failure to hurry it is no failure of the transaction. */
  const refresh = () =>
    dataOf(api.POST('/portal/api/wallet/refresh')).then(
      (position) => void queries.setQueryData(queryKeys.wallet, position),
      () => queries.invalidateQueries({ queryKey: queryKeys.wallet }),
    );
  return useTransaction(state, chain.usdc, refresh);
}
