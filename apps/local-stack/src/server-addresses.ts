import { localChainId, readChainId } from '@svc/local-servers';
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

/** @throws Error in one line, without the URL: it may hold a key */
async function askChainId(rpcUrl: string): Promise<number> {
  const chainId = await readChainId(rpcUrl, 10_000);
  if (chainId === undefined) throw new Error('CHAIN_RPC_URL: the chain does not answer eth_chainId.');
  return chainId;
}
