import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import { queryKeys } from '../../api/query-keys';
import { OFFERS_PAGE } from './offers-paging';

const EVERY_MS = 10_000;

/** The models with how their markets stand, kept current while somebody looks. */
export function useMarket() {
  return useQuery({
    queryKey: queryKeys.market,
    queryFn: async ({ signal }) => (await dataOf(api.GET('/portal/api/market', { signal }))).data,
    refetchInterval: EVERY_MS,
  });
}

/** A page of a model's live offers, the cheapest first. */
export function useOffers(model: string, offset: number) {
  return useQuery({
    queryKey: [...queryKeys.market, model, offset],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/portal/api/market/offers', {
          params: { query: { model, offset, limit: OFFERS_PAGE } },
          signal,
        }),
      ),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
}
