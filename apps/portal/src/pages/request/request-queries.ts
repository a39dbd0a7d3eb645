import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';
import { usePollUnlessLive } from '../../live/live-context';
import { pollOf } from './request-poll';

export type RequestDetail = components['schemas']['UsageDetailReply'];

export function useRequest(id: string) {
  const unlessLive = usePollUnlessLive();
  return useQuery({
    queryKey: [...queryKeys.usage, 'request', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/portal/api/usage/{request_id}', { params: { path: { request_id: id } }, signal })),
    refetchInterval: ({ state }) => pollOf(state, unlessLive),
  });
}
