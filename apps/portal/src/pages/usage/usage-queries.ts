import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, callRaw, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { marketNowMs } from '../../api/market-clock';
import { queryKeys } from '../../api/query-keys';
import { wholeBody } from '../../api/transport';
import { usePollUnlessLive } from '../../live/live-context';
import { spanOf } from './usage-range';
import type { UsageFilters, UsageView } from './usage-view';

type Schemas = components['schemas'];
export type UsageSummary = Schemas['UsageSummaryReply'];
export type UsageSeries = Schemas['UsageSeries'];
export type UsageFigures = Schemas['UsageFigures'];
export type UsageRequest = Schemas['UsageRequestReply'];

const PAGE_ROWS = 25;

/** Sums over time; they know nothing of outcomes, for they count both. */
export function useUsageSummary({ range, by, model, key, provider }: UsageView) {
  return useQuery({
    queryKey: [...queryKeys.usage, 'summary', range, by, model, key, provider],
    queryFn: ({ signal }) => {
      const query = { ...spanOf(range, new Date(marketNowMs())), ...given({ model, key, provider }), by };
      return dataOf(api.GET('/portal/api/usage/summary', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: usePollUnlessLive(),
  });
}

/** One page of requests. */
export function useUsageList({ range, by: _, ...filters }: UsageView, cursor: string | undefined) {
  return useQuery({
    queryKey: [...queryKeys.usage, 'list', range, filters, cursor],
    queryFn: ({ signal }) => {
      const query = {
        ...spanOf(range, new Date(marketNowMs())),
        ...given(filters),
        cursor,
        limit: PAGE_ROWS,
      };
      return dataOf(api.GET('/portal/api/usage', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: usePollUnlessLive(),
  });
}

/** Whether there is any request at all, of whatever time. */
export function useHasRequests() {
  return useQuery({
    queryKey: [...queryKeys.usage, 'any'],
    queryFn: async ({ signal }) => {
      const { data } = await dataOf(
        api.GET('/portal/api/usage', { params: { query: { limit: 1 } }, signal }),
      );
      return data.length > 0;
    },
  });
}

/** All selected requests as a file. @throws ApiError */
export async function fetchCsv({ range, by: _, ...filters }: UsageView): Promise<Blob> {
  const query = { ...spanOf(range, new Date(marketNowMs())), ...given(filters) };
  return wholeBody(await callRaw('/portal/api/usage.csv', { query }));
}

/** What is not null. */
function given<T extends Partial<UsageFilters>>(filters: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null)) as never;
}
