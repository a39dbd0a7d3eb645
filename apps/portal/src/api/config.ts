import { useSuspenseQuery } from '@tanstack/react-query';
import { call } from './client';
import { queryKeys } from './query-keys';

export interface ChainConfig {
  id: number;
  name: string;
  /** Where a browser may ask the chain itself; null when only wallets do. */
  rpc_url: string | null;
  usdc: string;
  settlement: string;
  explorer_url: string | null;
  is_local: boolean;
  /** Whether the token gives itself away. */
  faucet: boolean;
}

export interface DevelopmentWalletConfig {
  label: string;
  address: string;
  /** Known to everybody; served on the local chain only. */
  private_key: string;
}

export interface PortalConfig {
  environment: string;
  chain: ChainConfig;
  /** Where clients send requests, ending in /v1. */
  base_url: string;
  development_wallets: DevelopmentWalletConfig[];
  key_prefix: string;
}

/** What the page has to know about this marketplace; loaded before any page is shown. */
export function useConfig(): PortalConfig {
  const { data } = useSuspenseQuery({
    queryKey: queryKeys.config,
    queryFn: () => call<PortalConfig>('/portal/api/config'),
    staleTime: Infinity,
  });
  return data;
}
