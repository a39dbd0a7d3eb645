import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import { queryKeys } from '../../api/query-keys';

/** Beneath the keys: what changes one of those may change this. */
const PLAYGROUND = [...queryKeys.keys, 'playground'];

/** Whether the playground is on for the wallet, and what its key may spend. */
export function usePlayground() {
  return useQuery({
    queryKey: PLAYGROUND,
    queryFn: ({ signal }) => dataOf(api.GET('/portal/api/playground', { signal })),
  });
}

export function useTurnOn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => dataOf(api.POST('/portal/api/playground/key')),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.keys }),
  });
}
