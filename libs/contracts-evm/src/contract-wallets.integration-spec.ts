import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { eventually, testChain } from '@svc/testing';
import { SigningKey, Wallet, hexlify, keccak256, randomBytes, toQuantity } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { ChainAwayError, ContractWallets, MOST_QUESTIONS } from './contract-wallets';
import { connectChain, deployTestContractWallet } from './index';
import type { ContractWalletManner } from './index';

const digest = keccak256('0x01');
const owner = new Wallet(hexlify(randomBytes(32)));
const signature = new SigningKey(owner.privateKey).sign(digest).serialized;
const { rpcUrl, chainId, accounts } = testChain();

let provider: JsonRpcProvider;
let wallets: ContractWallets;

async function walletOf(manner?: ContractWalletManner): Promise<string> {
  // An account that no other spec deploys with.
  const signer = new Wallet(accounts[7]!.privateKey, provider);
  return (await deployTestContractWallet(signer, owner.address, manner)).toLowerCase();
}

/** Asks again while the chain is taken to be away: after 3 s, for which a machine may stand still. */
async function signed(...question: Parameters<ContractWallets['signed']>): Promise<boolean> {
  const { answer } = await eventually(async () => ({ answer: await wallets.signed(...question) }));
  return answer;
}

beforeAll(async () => {
  provider = await connectChain({ rpcUrl, chainId: BigInt(chainId), pollingIntervalMs: 20 });
  wallets = new ContractWallets({ rpcUrl, chainId });
});

afterAll(async () => {
  await wallets.onApplicationShutdown();
  provider.destroy();
});

describe('ContractWallets', () => {
  it('takes what a contract takes for its own', async () => {
    const wallet = await walletOf();
    await expect(signed(wallet, digest, signature)).resolves.toBe(true);
    await expect(signed(wallet, keccak256('0x02'), signature)).resolves.toBe(false);
    await expect(signed(wallet, digest, '0x1234')).resolves.toBe(false);
  });

  it.each(['reverts', 'answersShort', 'burnsGas'] as const)(
    'does not take the word of one that %s',
    async (manner) => {
      await expect(signed(await walletOf(manner), digest, signature)).resolves.toBe(false);
    },
  );

  describe('a node that refuses the call', () => {
    const asking = async (error: object): Promise<boolean> => {
      const node: Server = createServer((request, response) => {
        void json(request).then((body) => {
          const { id, method } = body as { id: number; method: string };
          const results: Record<string, string> = { eth_chainId: toQuantity(chainId), eth_getCode: '0xfe' };
          const result = results[method];
          response.setHeader('content-type', 'application/json');
          response.end(
            JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }),
          );
        });
      }).listen(0, '127.0.0.1');
      await once(node, 'listening');
      const { port } = node.address() as AddressInfo;
      const asked = new ContractWallets({ rpcUrl: `http://127.0.0.1:${port}`, chainId });
      try {
        return await asked.signed(owner.address, digest, signature);
      } finally {
        node.closeAllConnections();
        node.close();
        await asked.onApplicationShutdown();
      }
    };

    it.each([
      [3, 'execution reverted'],
      [-32_000, 'out of gas'],
      [-32_000, 'stack limit reached 1024 (1023)'],
      [-32_000, 'invalid jump destination'],
      [-32_015, 'VM execution error.'],
      [-32_603, 'EVM error InvalidJump'],
    ])('has the contract’s word for it: %i %s', async (code, message) => {
      await expect(asking({ code, message })).resolves.toBe(false);
    });

    it.each([
      [-32_005, 'daily request count exceeded'],
      [-32_016, 'over rate limit'],
      [-32_000, 'header not found'],
      [-32_603, 'Internal error'],
    ])('says nothing of the contract: %i %s', async (code, message) => {
      await expect(asking({ code, message })).rejects.toThrow(ChainAwayError);
    });
  });

  it('takes nothing for an address without a contract', async () => {
    await expect(signed(owner.address, digest, signature)).resolves.toBe(false);
  });

  it('asks once in a while whether there is a contract, and not too much at once', async () => {
    const asked: string[] = [];
    let answers = true;
    const chain: Server = createServer((request, response) => {
      void json(request).then((body) => {
        const calls = [body].flat() as { id: number; method: string }[];
        asked.push(...calls.map(({ method }) => method));
        const isChainId = calls.every(({ method }) => method === 'eth_chainId');
        if (!answers && !isChainId) return;
        const replies = calls.map(({ id, method }) => ({
          jsonrpc: '2.0',
          id,
          result: method === 'eth_chainId' ? toQuantity(chainId) : '0x',
        }));
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(Array.isArray(body) ? replies : replies[0]));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => chain.once('listening', resolve));
    const { port } = chain.address() as AddressInfo;
    const asking = new ContractWallets({ rpcUrl: `http://127.0.0.1:${port}`, chainId });
    const codes = () => asked.filter((method) => method === 'eth_getCode').length;
    for (let count = 0; count < 3; count++) {
      await expect(asking.signed(owner.address, digest, signature)).resolves.toBe(false);
    }
    expect(codes()).toBe(1);
    answers = false;
    const outcomes = await Promise.allSettled(
      Array.from({ length: MOST_QUESTIONS * 3 }, () =>
        asking.signed(Wallet.createRandom().address, digest, signature),
      ),
    );
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(codes()).toBeLessThanOrEqual(1 + MOST_QUESTIONS);
    // What is known is not asked for.
    await expect(asking.signed(owner.address, digest, signature)).resolves.toBe(false);
    chain.closeAllConnections();
    chain.close();
    await asking.onApplicationShutdown();
  });

  it('says that the chain is away, and asks it again once it is back', async () => {
    const wallet = await walletOf();
    const away = new ContractWallets({ rpcUrl: 'http://127.0.0.1:9', chainId });
    await expect(away.signed(wallet, digest, signature)).rejects.toThrow(ChainAwayError);
    const other = new ContractWallets({ rpcUrl, chainId: chainId + 1 });
    await expect(other.signed(wallet, digest, signature)).rejects.toThrow(ChainAwayError);
  });

  it('waits no longer than 3 s for a chain that does not answer', async () => {
    const silent: Server = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    const waiting = new ContractWallets({ rpcUrl: `http://127.0.0.1:${port}`, chainId });
    const startedAt = performance.now();
    await expect(waiting.signed(owner.address, digest, signature)).rejects.toThrow(ChainAwayError);
    // With room for a machine that stands still: the connection alone would wait for 10 s.
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    silent.closeAllConnections();
    silent.close();
    await waiting.onApplicationShutdown();
  });
});
