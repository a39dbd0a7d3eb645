import { ScriptedNode } from '@svc/testing';
import type { JsonRpcProvider } from 'ethers';
import { isUnknownCall } from './chain-error';
import { connectChain } from './connect-chain';
import { settlementAt } from './settlement.binding';

const ADDRESS = `0x${'1'.repeat(40)}`;

describe('a call that fails', () => {
  /** What the node says to it, besides the id of the question. */
  let answer: object;
  let node: ScriptedNode;
  let provider: JsonRpcProvider;

  beforeAll(async () => {
    node = await ScriptedNode.start(() => answer);
    provider = await connectChain({ rpcUrl: node.url, chainId: 1n });
  });
  afterAll(() => {
    provider.destroy();
    node.close();
  });

  const failure = (said: object) => {
    answer = said;
    return settlementAt(ADDRESS, provider)
      .totalPaid()
      .then(
        () => 'none',
        (error: unknown) => error,
      );
  };

  it.each([
    { error: { code: 3, message: 'execution reverted', data: '0x' } },
    { error: { code: -32_000, message: 'execution reverted' } },
    { error: { code: -32_000, message: 'execution reverted: too many' } },
    { error: { code: -32_000, message: 'invalid opcode: opcode 0xfe not defined' } },
    { error: { code: -32_000, message: 'gas required exceeds allowance (16777216)' } },
    { result: '0x' },
    { result: '0x12' },
  ])('in the contract, or by what it answers, is one that it does not know: %j', async (said) => {
    expect(isUnknownCall(await failure(said))).toBe(true);
  });

  it.each([
    { error: { code: -32_005, message: 'limit exceeded' } },
    { error: { code: -32_000, message: 'too many requests' } },
    { error: { code: -32_000, message: 'header not found' } },
    { error: { code: -32_603, message: 'Internal error' } },
    { error: { code: -32_000, message: 'evm timeout' } },
    { error: { code: -32_603, message: 'EVM error Database error: 429 Too Many Requests' } },
    // Servers that refuse a question without reading it do not know its id.
    { id: null, error: { code: -32_005, message: 'limit exceeded' } },
  ])('in the node says nothing of the contract: %j', async (said) => {
    expect(isUnknownCall(await failure(said))).toBe(false);
  });
});
