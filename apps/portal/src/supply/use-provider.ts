import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client';
import type { components } from '../api/generated/schema';
import { queryKeys } from '../api/query-keys';
import { useSession } from '../session/session-context';
import { isCertifying } from './offer-words';
import type { Offer } from './offer-words';
import { withOffer } from './with-offer';

export type Provider = components['schemas']['ProviderStatusReply'];

const WHILE_CERTIFYING_MS = 2_000;
const USUALLY_MS = 15_000;

/** How a provider and its offers stand, as everybody may see it. */
export function useProvider(wallet: string) {
  return useQuery({
    queryKey: [...queryKeys.provider, 'of', wallet],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/v1/providers/{wallet}', { params: { path: { wallet } }, signal })),
    refetchInterval: ({ state }) => intervalFor(state.data),
  });
}

/** The same of the wallet that is signed in; null while it is not registered. */
export function useOwnProvider() {
  const { wallet } = useSession();
  return useQuery({
    queryKey: ownProviderKey(wallet),
    queryFn: async ({ signal }) => (await dataOf(api.GET('/portal/api/provider', { signal }))).provider,
    refetchInterval: ({ state }) => intervalFor(state.data ?? undefined),
  });
}

/** Takes an offer of one's own as the market answered for it: it is there, also while nobody can say how all of them stand. */
export function useNewsOfOffer(): (offer: Offer) => void {
  const queries = useQueryClient();
  const { wallet } = useSession();
  return (offer) =>
    void queries.setQueryData<Provider | null>(
      ownProviderKey(wallet),
      (known) => known && { ...known, offers: withOffer(known.offers, offer) },
    );
}

export function ownProviderKey(wallet: string): readonly string[] {
  return [...queryKeys.provider, 'own', wallet];
}

/** Asked often while something is certified. */
function intervalFor(provider: Provider | undefined): number {
  return provider?.offers.some(isCertifying) ? WHILE_CERTIFYING_MS : USUALLY_MS;
}
