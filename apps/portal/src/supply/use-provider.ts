import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../api/api-error';
import { api, dataOf } from '../api/client';
import type { components } from '../api/generated/schema';
import { queryKeys } from '../api/query-keys';
import { isCertifying } from './offer-words';

export type Provider = components['schemas']['ProviderStatusReply'];

const WHILE_CERTIFYING_MS = 2_000;
const USUALLY_MS = 15_000;

/** How a provider and its offers stand; null while the wallet is not registered. Asked often while something is certified. */
export function useProvider(wallet: string) {
  return useQuery({
    queryKey: [...queryKeys.provider, wallet],
    queryFn: ({ signal }) => readProvider(wallet, signal),
    refetchInterval: ({ state }) =>
      state.data?.offers.some(isCertifying) ? WHILE_CERTIFYING_MS : USUALLY_MS,
  });
}

async function readProvider(wallet: string, signal: AbortSignal): Promise<Provider | null> {
  try {
    return await dataOf(api.GET('/v1/providers/{wallet}', { params: { path: { wallet } }, signal }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
