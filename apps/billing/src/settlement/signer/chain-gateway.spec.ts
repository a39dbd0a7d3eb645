import { connectChain } from '@svc/contracts-evm';
import { ScriptedNode } from '@svc/testing';
import { id } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import type { ChainConnection } from '../../chain/chain-connection';
import { conditionOf } from '../settlement-state';
import { ChainGateway, RefusedError } from './chain-gateway';

const [usdc, settlement] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const;
const BUSY = { code: -32_005, message: 'daily request count exceeded' };
/** As much of one as ethers insists on; its base fee is 7 wei. */
const BLOCK = {
  ...{ number: '0x1', timestamp: '0x1', gasLimit: '0x1', gasUsed: '0x0', nonce: '0x0000000000000000' },
  ...{ hash: id('block'), parentHash: id('parent'), miner: usdc, difficulty: '0x0' },
  ...{ extraData: '0x', baseFeePerGas: '0x7', transactions: [] },
};

describe('ChainGateway', () => {
  /** What the node says to calls of the token, and to what else it has no result for. */
  let refusal: object;
  let node: ScriptedNode;
  let provider: JsonRpcProvider;

  beforeAll(async () => {
    const treasury = id('treasury()').slice(0, 10);
    const treasurer = { result: `0x${'3'.repeat(40).padStart(64, '0')}` };
    node = await ScriptedNode.start((method, [call]) => {
      if (method === 'eth_getBlockByNumber') return { result: BLOCK };
      return method === 'eth_call' && call?.data === treasury ? treasurer : refusal;
    });
    provider = await connectChain({ rpcUrl: node.url, chainId: 1n });
  });
  afterAll(() => {
    provider.destroy();
    node.close();
  });

  const gateway = (said: object) => {
    refusal = said;
    const options = { usdc, settlement };
    const connection = { options, open: () => Promise.resolve(provider) } as unknown as ChainConnection;
    return new ChainGateway(connection);
  };

  describe('whether the token is stopped', () => {
    it.each([
      { code: 3, message: 'execution reverted' },
      {
        code: 3,
        message: 'execution reverted: no',
        data: '0x4e487b710000000000000000000000000000000000000000000000000000000000000011',
      },
    ])('is no for a token that does not know the question: %j', async (error) => {
      await expect(gateway({ error }).isTokenStopped('latest')).resolves.toBe(false);
    });

    it.each([
      { error: BUSY },
      // Servers that refuse a question without reading it do not know its id.
      { id: null, error: BUSY },
    ])('is unknown while the node has too many questions: %j', async (said) => {
      await expect(gateway(said).isTokenStopped('latest')).resolves.toBeUndefined();
    });
  });

  describe('what a call would take', () => {
    const estimate = (error: object) => gateway({ error }).estimateGas(settlement, '0x00000001');

    it.each([
      [{ code: 3, message: 'execution reverted', data: id('EnforcedPause()').slice(0, 10) }, 'EnforcedPause'],
      [{ code: -32_000, message: 'execution reverted' }, 'missing revert data'],
      [{ code: -32_000, message: 'gas required exceeds allowance (16777216)' }, 'missing revert data'],
    ])('is nothing where the contract refuses: %j', async (error, reason) => {
      await expect(estimate(error)).rejects.toMatchObject({ name: 'RefusedError', reason });
    });

    it.each([
      BUSY,
      { code: -32_000, message: 'too many requests' },
      { code: -32_000, message: 'header not found' },
      { code: -32_603, message: 'Internal error' },
    ])('is unknown, and no refusal, where the node does not say: %j', async (error) => {
      const failure: unknown = await estimate(error).catch((reason: unknown) => reason);
      expect(failure).not.toBeInstanceOf(RefusedError);
      expect(conditionOf(failure)).toMatchObject({ state: 'failing' });
    });
  });

  describe('what a transaction cost', () => {
    const asked = (chain: ChainGateway) => chain.costOf(id('transaction'));

    it.each([
      { error: BUSY },
      { id: null, error: BUSY },
      { error: { code: 429, message: 'Your app has exceeded its compute units per second capacity' } },
      { error: { code: -32_000, message: 'too many requests' } },
      { error: { code: -32_000, message: 'rate limit exceeded' } },
    ])(
      'is told later where the node has too many questions, but not waited for for good: %j',
      async (said) => {
        const chain = gateway(said);
        await expect(asked(chain)).rejects.toThrow();
        await expect(asked(chain)).rejects.toThrow();
        refusal = { result: { gasUsed: '0x2', effectiveGasPrice: '0x3' } };
        await expect(asked(chain)).resolves.toBe(6n);
        refusal = said;
        let looks = 1;
        while ((await asked(chain).catch(() => 'later')) === 'later' && looks < 1_000) looks++;
        expect(looks).toBe(50);
      },
    );

    it.each([
      { result: null },
      { result: { gasUsed: '0x2' } },
      { error: { code: -32_000, message: 'transaction indexing is in progress' } },
    ])('is nothing that anybody waits for where the node does not tell: %j', async (said) => {
      await expect(asked(gateway(said))).resolves.toBeUndefined();
    });
  });

  describe('what is usual to pay', () => {
    const GWEI = 10n ** 9n;
    const fees = (said: object) => gateway(said).fees(100n * GWEI);

    it.each([
      { error: { code: -32_601, message: 'Method not found' } },
      {
        error: {
          code: -32_601,
          message: 'the method eth_maxPriorityFeePerGas does not exist/is not available',
        },
      },
      { error: { code: -32_604, message: 'Method not enabled' } },
      { error: { code: -32_004, message: 'no' } },
      { error: { code: -32_000, message: "method 'eth_maxPriorityFeePerGas' is not supported" } },
      { result: null },
      { result: '0x' },
    ])('is one gwei for a node that has no suggestion: %j', async (said) => {
      await expect(fees(said)).resolves.toMatchObject({ maxPriorityFeePerGas: GWEI });
    });

    it('is what the node suggests', async () => {
      await expect(fees({ result: '0x3b9aca01' })).resolves.toMatchObject({
        maxPriorityFeePerGas: GWEI + 1n,
      });
    });

    it.each([
      BUSY,
      { code: -32_000, message: 'too many requests' },
      { code: -32_603, message: 'Internal error' },
    ])('is unknown where the node does not say: %j', async (error) => {
      await expect(fees({ error })).rejects.toThrow();
    });
  });
});
