import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { api, dataOf } from '../api/client';
import type { components } from '../api/generated/schema';
import { queryKeys } from '../api/query-keys';
import { usePollUnlessLive } from './live-context';

export type Position = components['schemas']['WalletPositionReply'];
export type PositionQuery = UseQueryResult<Position>;

/** What the wallet has, owes and may spend, as it changes: the event stream keeps it current. */
export function usePosition(): PositionQuery {
  return useQuery({
    queryKey: queryKeys.wallet,
    queryFn: ({ signal }) => dataOf(api.GET('/portal/api/wallet', { signal })),
    refetchInterval: usePollUnlessLive(),
  });
}
