import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { call } from '../../api/client';
import { usePollUnlessLive } from '../../api/live';
import { queryKeys } from '../../api/query-keys';
import type { Position } from './position';

export type PositionQuery = UseQueryResult<Position>;

/** What the wallet has, owes and may spend, as it changes. */
export function usePosition(): PositionQuery {
  return useQuery({
    queryKey: queryKeys.wallet,
    queryFn: ({ signal }) => call<Position>('/portal/api/wallet', { signal }),
    refetchInterval: usePollUnlessLive(),
  });
}
