import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';

type Schemas = components['schemas'];
export type Settlement = Schemas['Settlement'];
export type SettlementReply = Schemas['SettlementReply'];
export type CollectedReceipt = Schemas['CollectedReceipt'];

/** While a batch is on its way, it is looked at often. */
const OPEN_EVERY_MS = 4_000;
const QUIET_EVERY_MS = 30_000;
const BATCHES_A_PAGE = 25;
const RECEIPTS_A_PAGE = 50;

export function useSettlements(cursor: string | undefined) {
  return useQuery({
    queryKey: [...queryKeys.settlements, 'list', cursor ?? null],
    queryFn: ({ signal }) => {
      const query = { cursor, limit: BATCHES_A_PAGE };
      return dataOf(api.GET('/portal/api/settlements', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.settlements.some(({ state }) => state !== 'settled') ? OPEN_EVERY_MS : QUIET_EVERY_MS,
  });
}

export function useSettlement(id: string, cursor: string | undefined) {
  return useQuery({
    queryKey: [...queryKeys.settlements, id, cursor ?? null],
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { cursor, limit: RECEIPTS_A_PAGE } };
      return dataOf(api.GET('/portal/api/settlements/{id}', { params, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data && data.state !== 'settled' ? OPEN_EVERY_MS : false),
  });
}
