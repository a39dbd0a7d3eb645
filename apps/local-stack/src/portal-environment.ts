import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerAddresses, StackContext } from './stack-context';

/**
 * Accounts of the development mnemonic that nothing else here uses, which the chain funds with ETH: whoever has no wallet of their own
 * takes one of these. Their keys are known to everybody.
 */
const developmentWallets = [
  { label: 'Buyer', key: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a' },
  { label: 'Provider', key: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6' },
  { label: 'Operator', key: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a' },
];
const developmentOperator = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';

/** Hosts by which browsers on this machine find it. */
const hosts = ['127.0.0.1', 'localhost'];

/** Where the portal's page is built. */
function portalDir(root: string): string {
  return join(root, 'apps/portal/dist');
}

/** The page's URL at a gateway; null when it is not built. */
export function portalUrl(root: string, gateway: string): string | null {
  return existsSync(join(portalDir(root), 'index.html')) ? `${gateway}/portal/` : null;
}

/**
 * What a gateway is told of the portal. On a chain of somebody else's there are no development wallets, operators are those whom the caller
 * names, and browsers ask the chain only by a PORTAL_CHAIN_RPC_URL of the caller's: the services' own may hold a secret.
 */
export async function portalEnvironment(
  { options, paths, ports }: StackContext,
  { chainRpcUrl, chainId }: ServerAddresses,
): Promise<Record<string, string>> {
  const names = Array.from({ length: options.replicas.gateway }, (_, index) =>
    index === 0 ? 'gateway' : `gateway-${index + 1}`,
  );
  const gateways = await Promise.all(names.map((name) => ports.of(name)));
  // The caller's own come after: a development server of the page, a proxy in front.
  const origins = hosts.flatMap((host) => gateways.map((port) => `http://${host}:${port}`));
  const more = process.env.PORTAL_ORIGINS?.split(',') ?? [];
  const common = {
    // The gateway takes no directory that does not exist.
    ...(existsSync(portalDir(paths.root)) && { PORTAL_DIR: portalDir(paths.root) }),
    PORTAL_ORIGINS: [...origins, ...more].join(','),
    CHAIN_ID: String(chainId),
    // All who visit come from one address, and sit at this machine.
    PORTAL_SIGN_INS_PER_MINUTE: process.env.PORTAL_SIGN_INS_PER_MINUTE ?? '10000',
    PORTAL_REQUESTS_PER_MINUTE: process.env.PORTAL_REQUESTS_PER_MINUTE ?? '100000',
  };
  if (options.external.chainRpcUrl !== undefined) return common;
  return {
    ...common,
    PORTAL_CHAIN_RPC_URL: chainRpcUrl,
    PORTAL_FAUCET: 'on',
    PORTAL_DEVELOPMENT_WALLETS: developmentWallets.map(({ label, key }) => `${label}=${key}`).join(','),
    OPERATOR_WALLETS: process.env.OPERATOR_WALLETS ?? developmentOperator,
  };
}
