import { useSuspenseQuery } from '@tanstack/react-query';
import { isPassing, isSilence } from './api-error';
import { api, dataOf } from './client';
import type { components } from './generated/schema';
import { queryKeys } from './query-keys';

type Schemas = components['schemas'];

export type PortalConfig = Schemas['PortalConfigReply'];
export type ChainConfig = Schemas['PortalChain'];
/** Its key is known to everybody; served on the local chain only. */
export type DevelopmentWalletConfig = Schemas['DevelopmentWallet'];

/** What the page has to know about this marketplace; loaded before any page is shown. */
export function useConfig(): PortalConfig {
  const { data } = useSuspenseQuery({
    queryKey: queryKeys.config,
    queryFn: ({ signal }) => dataOf(api.GET('/portal/api/config', { signal })),
    staleTime: Infinity,
    // There is no page yet that would ask again by itself.
    retry: (failures, error) => failures < 2 && isPassing(error) && !isSilence(error),
  });
  return data;
}
