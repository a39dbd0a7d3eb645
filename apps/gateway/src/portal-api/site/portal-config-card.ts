import { getAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { GatewayConfig } from '../../gateway.config';
import type { PortalConfigReply } from './portal-config.dto';

/** What of the gateway's configuration is for everybody's eyes. */
export function portalConfigCard(config: GatewayConfig, baseUrl: string): PortalConfigReply {
  const { chainId, isChainLocal } = config;
  return {
    environment: config.environmentName,
    chain: {
      id: chainId,
      name: config.portalChainName ?? (isChainLocal ? 'Local chain' : `Chain ${chainId}`),
      rpc_url: config.portalChainRpcUrl ?? null,
      usdc: getAddress(config.chainUsdcAddress),
      settlement: getAddress(config.chainSettlementAddress),
      explorer_url: config.portalChainExplorerUrl ?? null,
      is_local: isChainLocal,
      faucet: config.portalFaucet === 'on',
    },
    base_url: baseUrl,
    development_wallets: config.developmentWalletList.map(({ label, privateKey }) => ({
      label,
      private_key: privateKey,
      address: privateKeyToAddress(privateKey as `0x${string}`),
    })),
    key_prefix: config.environment.keyPrefix,
  };
}
