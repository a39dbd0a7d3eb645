import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import { queryKeys } from '../../api/query-keys';

/** What the market allows of offers; it does not change while it runs. */
export function useSupplyLimits() {
  return useQuery({
    queryKey: [...queryKeys.provider, 'terms'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/v1/supply/terms', { signal }))).limits,
    staleTime: Infinity,
  });
}

/** Models that may be offered: those that chat and that somebody has to serve. */
export function useOfferableModels() {
  return useQuery({
    queryKey: [...queryKeys.models, 'offerable'],
    queryFn: async ({ signal }) => {
      const { data } = await dataOf(api.GET('/v1/models', { signal }));
      return data.filter(({ svc }) => svc.capabilities.workload === 'chat' && svc.cortex !== true);
    },
  });
}

/** Bundles of a model and profiles that are defined already. */
export function useBuilds(model: string) {
  return useQuery({
    queryKey: [...queryKeys.provider, 'builds', model],
    queryFn: ({ signal }) => dataOf(api.GET('/portal/api/builds', { params: { query: { model } }, signal })),
    enabled: model !== '',
  });
}

/** What was signed last of an offer of one's own. */
export function useOfferTerms(offerId: string, enabled = true) {
  return useQuery({
    queryKey: [...queryKeys.provider, 'terms-of', offerId],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/portal/api/offers/{id}/terms', { params: { path: { id: offerId } }, signal })),
    enabled,
    // A form begins with it: it must be the newest, and stay as it was while the form is open.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}
