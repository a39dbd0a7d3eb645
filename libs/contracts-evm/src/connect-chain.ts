import { FetchRequest, JsonRpcProvider, Network, isError, makeError } from 'ethers';
import type { ServerError, Subscriber, Subscription } from 'ethers';
import { ChainError } from './chain-error';
import { ReceiptSubscriber } from './receipt-subscriber';

/** How to reach a chain. */
interface ChainConnection {
  rpcUrl: string;
  chainId: bigint;
  /** Longest wait for one RPC reply; 10 s unless told. */
  timeoutMs?: number;
  /** How often ethers looks for a new block or receipt; 250 ms unless told. */
  pollingIntervalMs?: number;
}

/**
 * Says nothing of the URL when the server refuses: hosted servers have their key in it, and errors go into the log. And misses no receipt
 * that is waited for.
 */
class ChainProvider extends JsonRpcProvider {
  override async _send(...[payload]: Parameters<JsonRpcProvider['_send']>) {
    try {
      return await super._send(payload);
    } catch (error) {
      throw isError(error, 'SERVER_ERROR') ? withoutUrl(error) : error;
    }
  }

  override _getSubscriber(subscription: Subscription): Subscriber {
    if (subscription.type !== 'transaction') return super._getSubscriber(subscription);
    return new ReceiptSubscriber(this, subscription.hash);
  }
}

function withoutUrl({ shortMessage, request, response, info }: ServerError): ServerError {
  const { responseStatus, responseBody } = (info ?? {}) as Record<string, unknown>;
  const said = { responseStatus: responseStatus ?? null, responseBody: responseBody ?? null };
  return makeError(shortMessage, 'SERVER_ERROR', { request, response, info: said });
}

/**
 * A provider for a chain that has been asked for its id. It caches no answers: a balance read twice is asked twice.
 * The caller destroys it.
 * @throws ChainError `wrong_chain` when the server answers for another chain; ethers' own errors when it does not
 *   answer at all
 */
export async function connectChain(connection: ChainConnection): Promise<JsonRpcProvider> {
  const request = new FetchRequest(connection.rpcUrl);
  request.timeout = connection.timeoutMs ?? 10_000;
  const network = Network.from(connection.chainId);
  const provider = new ChainProvider(request, network, {
    staticNetwork: network,
    cacheTimeout: -1,
    // Gathering calls into a batch delays each by 10 ms; what belongs together is one call already.
    batchMaxCount: 1,
    pollingInterval: connection.pollingIntervalMs ?? 250,
  });
  try {
    const answered = BigInt((await provider.send('eth_chainId', [])) as string);
    if (answered === connection.chainId) return provider;
    throw new ChainError('wrong_chain', `expected chain ${connection.chainId}, the server is on ${answered}`);
  } catch (error) {
    provider.destroy();
    throw error;
  }
}
