import { createWalletClient, defineChain, http } from 'viem';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { ChainConfig, DevelopmentWalletConfig } from '../api/config';
import type { Eip1193Provider } from './eip1193';

/**
 * A wallet for the local chain, so that the page can be used with nothing installed. It holds a key that everybody knows and signs
 * without asking; a marketplace on any other chain serves no such key.
 */
export function openDevelopmentWallet(wallet: DevelopmentWalletConfig, chain: ChainConfig): Eip1193Provider {
  const account = privateKeyToAccount(wallet.private_key as Hex);
  const rpcUrl = chain.rpc_url ?? '';
  const client = createWalletClient({
    account,
    chain: defineChain({
      id: chain.id,
      name: chain.name,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }),
    transport: http(rpcUrl),
  });
  type Request = (params: never) => Promise<unknown>;
  const own: Record<string, Request> = {
    eth_requestAccounts: () => Promise.resolve([account.address]),
    eth_accounts: () => Promise.resolve([account.address]),
    eth_chainId: () => Promise.resolve(`0x${chain.id.toString(16)}`),
    personal_sign: ([raw]: Hex[]) => account.signMessage({ message: { raw: raw ?? '0x' } }),
    eth_signTypedData_v4: ([, json]: string[]) =>
      account.signTypedData(JSON.parse(json ?? '') as Parameters<typeof account.signTypedData>[0]),
    eth_sendTransaction: ([{ to, data }]: [{ to: Hex; data: Hex }]) => client.sendTransaction({ to, data }),
  };
  return {
    request: ({ method, params = [] }) => {
      const answer = own[method];
      if (answer !== undefined) return answer(params as never);
      return client.request({ method, params } as Parameters<typeof client.request>[0]);
    },
  };
}
