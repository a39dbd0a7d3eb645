import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';

export type RequestDetail = components['schemas']['UsageDetailReply'];

/** While its batch is on its way; nothing else of a request changes but by refunds. */
const POLL_MS = 5_000;

export function useRequest(id: string) {
  return useQuery({
    queryKey: [...queryKeys.usage, 'request', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/portal/api/usage/{request_id}', { params: { path: { request_id: id } }, signal })),
    refetchInterval: ({ state }) => (isOnItsWay(state.data) ? POLL_MS : false),
  });
}

function isOnItsWay(detail: RequestDetail | undefined): boolean {
  return detail !== undefined && !['nothing', 'settled'].includes(detail.settlement.state);
}
