import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Wallet, keccak256 } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { connectChain } from './connect-chain';

const PATIENCE_MS = 10_000;
const ZERO = `0x${'0'.repeat(64)}`;
const WALLET = new Wallet(`0x${'1'.repeat(64)}`);

/** A chain whose one block comes after the receipt was asked for so often, and before anybody hears of the block: it is the last one. */
function chainThatMinesOnce(asksBefore: number): Server {
  let asked = 0;
  const receiptOf = (transactionHash: string) => ({
    ...{ transactionHash, blockHash: ZERO, blockNumber: '0x11', transactionIndex: '0x0' },
    ...{ from: WALLET.address, to: WALLET.address, contractAddress: null, status: '0x1', type: '0x2' },
    ...{ gasUsed: '0x5208', cumulativeGasUsed: '0x5208', effectiveGasPrice: '0x1' },
    ...{ logs: [], logsBloom: `0x${'0'.repeat(512)}` },
  });
  const answers: Record<string, (params: string[]) => unknown> = {
    eth_chainId: () => '0x1',
    eth_blockNumber: () => (asked < asksBefore ? '0x10' : '0x11'),
    eth_getTransactionCount: () => '0x0',
    eth_sendRawTransaction: ([signed = '']) => keccak256(signed),
    eth_getTransactionReceipt: ([hash = '']) => (asked++ < asksBefore ? null : receiptOf(hash)),
  };
  return createServer((request, reply) => {
    void json(request).then((body) => {
      const { id, method, params } = body as { id: number; method: string; params: string[] };
      reply.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? null }));
    });
  }).listen(0, '127.0.0.1');
}

let server: Server;
let chain: JsonRpcProvider;
afterEach(() => {
  chain.destroy();
  server.close();
  server.closeAllConnections();
});

it.each([0, 1, 2])(
  'hears of a block that comes after %d looks for the receipt, the last one',
  async (looks) => {
    server = chainThatMinesOnce(looks);
    await once(server, 'listening');
    const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    chain = await connectChain({ rpcUrl, chainId: 1n, pollingIntervalMs: 20 });
    const signed = await WALLET.signTransaction({
      ...{ chainId: 1, nonce: 0, to: WALLET.address, gasLimit: 21_000, type: 2 },
      ...{ maxFeePerGas: 1, maxPriorityFeePerGas: 1 },
    });
    const sent = await chain.broadcastTransaction(signed);
    const receipt = await sent.wait(1, PATIENCE_MS);
    expect(receipt?.blockNumber).toBe(17);
  },
);
