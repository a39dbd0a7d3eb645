import { connectChain } from '@svc/contracts-evm';
import { ScriptedNode } from '@svc/testing';
import { id } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import type { ChainConnection } from '../../chain/chain-connection';
import { conditionOf } from '../settlement-state';
import { ChainGateway, RefusedError } from './chain-gateway';

const [usdc, settlement] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const;
const BUSY = { code: -32_005, message: 'daily request count exceeded' };

describe('ChainGateway', () => {
  /** What the node says to calls of the token, and to what else it has no result for. */
  let refusal: object;
  let node: ScriptedNode;
  let provider: JsonRpcProvider;

  beforeAll(async () => {
    const treasury = id('treasury()').slice(0, 10);
    const treasurer = { result: `0x${'3'.repeat(40).padStart(64, '0')}` };
    node = await ScriptedNode.start((method, [call]) =>
      method === 'eth_call' && call?.data === treasury ? treasurer : refusal,
    );
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
});
