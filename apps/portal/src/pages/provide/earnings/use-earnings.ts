import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client';
import type { components } from '../../../api/generated/schema';
import { marketNowMs } from '../../../api/market-clock';
import { queryKeys } from '../../../api/query-keys';

export type Earnings = components['schemas']['EarningsReply'];

const DAY_MS = 86_400_000;
const REFRESH_MS = 15_000;
const PAGE = 500;
/** 90 days of 50 models; beyond that the chart says nothing any more. */
const MOST_PAGES = 10;

/** What was earned in the last days, today's included, by day and model; the oldest first. */
export function useEarnings(days: number) {
  return useQuery({
    queryKey: [...queryKeys.earnings, days],
    queryFn: ({ signal }) => readAll(days, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

async function readAll(days: number, signal: AbortSignal): Promise<Earnings> {
  const from = new Date((Math.floor(marketNowMs() / DAY_MS) - days + 1) * DAY_MS).toISOString();
  const page = (cursor?: string) => {
    const query = { by: 'day' as const, from, limit: PAGE, cursor };
    return dataOf(api.GET('/portal/api/earnings', { params: { query }, signal }));
  };
  const first = await page();
  const lines = [...first.lines];
  let next = first.next;
  for (let read = 1; next !== null && read < MOST_PAGES; read++) {
    const more = await page(next);
    lines.push(...more.lines);
    next = more.next;
  }
  return { ...first, lines, next };
}
