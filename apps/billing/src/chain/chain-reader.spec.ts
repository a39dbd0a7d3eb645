import { ScriptedNode } from '@svc/testing';
import { conditionOf } from '../settlement/settlement-state';
import { ChainConnection } from './chain-connection';
import { ChainReader } from './chain-reader';

const [usdc, settlement] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const;

describe('a chain that answers calls with an error', () => {
  let error: object;
  let node: ScriptedNode;
  let connection: ChainConnection;

  beforeEach(async () => {
    node = await ScriptedNode.start(() => ({ error }));
    const options = { rpcUrl: node.url, chainId: 1, usdc, settlement, confirmations: 1 };
    connection = new ChainConnection(options, { bind: () => Promise.resolve() });
  });
  afterEach(() => {
    connection.close();
    node.close();
  });

  const condition = () => connection.open().then(() => undefined, conditionOf);

  it.each([
    { code: -32_005, message: 'limit exceeded' },
    { code: -32_000, message: 'too many requests' },
    { code: -32_603, message: 'Internal error' },
  ])('of the node’s own is away, not another: %j', async (said) => {
    error = said;
    await expect(new ChainReader(connection).refuseMisfit()).resolves.toBeUndefined();
    expect(await condition()).toMatchObject({ state: 'failing' });
  });

  it('of the contract’s is another', async () => {
    error = { code: 3, message: 'execution reverted' };
    await expect(new ChainReader(connection).refuseMisfit()).rejects.toThrow('do not fit');
    expect(await condition()).toEqual({ state: 'wrong_chain' });
  });
});
