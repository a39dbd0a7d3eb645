import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { api, dataOf } from './client';
import type { components } from './generated/schema';
import { usePollUnlessLive } from './live';
import { queryKeys } from './query-keys';

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
