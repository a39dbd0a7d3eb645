import { localChainId } from '@svc/local-servers';
import type { ServerAddresses, StackContext } from './stack-context';

/** Where the servers are: the given URLs, else those of the local servers, which need not be up yet. */
export async function serverAddresses(context: StackContext): Promise<ServerAddresses> {
  const { external } = context.options;
  const { ports, secrets } = context;
  const password = encodeURIComponent(secrets.databaseSuperuser);
  return {
    natsUrl: external.natsUrl ?? `nats://127.0.0.1:${await ports.of('nats')}`,
    databaseUrl:
      external.databaseUrl ?? `postgresql://postgres:${password}@127.0.0.1:${await ports.of('postgres')}/svc`,
    chainRpcUrl: external.chainRpcUrl ?? `http://127.0.0.1:${await ports.of('chain')}`,
    chainId: external.chainRpcUrl === undefined ? localChainId : await askChainId(external.chainRpcUrl),
  };
}

/** `eth_chainId` (EIP-695). @throws Error in one line when the given chain does not answer it */
async function askChainId(rpcUrl: string): Promise<number> {
  try {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(10_000),
    });
    const reply = (await response.json()) as { result?: string };
    const chainId = Number(reply.result);
    if (Number.isSafeInteger(chainId) && chainId > 0) return chainId;
  } catch {
    // Said below; the cause may hold the URL with its key.
  }
  throw new Error('CHAIN_RPC_URL: the chain does not answer eth_chainId.');
}
