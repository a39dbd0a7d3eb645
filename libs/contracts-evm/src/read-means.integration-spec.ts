import { Wallet, toBeHex, zeroPadValue } from 'ethers';
import { connectChain, isChainError, readMeans, testUsdcAt } from './index';
import { CALLS_AT_ONCE, WALLETS_PER_CALL } from './read-means';
import { bytes32, deployFresh, due, mined, startPrivateChain } from './private-chain.for-spec';
import type { Deployment, PrivateChain } from './private-chain.for-spec';

describe('readMeans', () => {
  let chain: PrivateChain;
  let deployment: Deployment;

  beforeAll(async () => {
    chain = await startPrivateChain();
    deployment = await deployFresh(chain);
  });
  afterAll(() => chain.stop());

  const read = (
    wallets: string[],
    change: { blockTag?: number; usdc?: string; settlement?: string } = {},
  ) => {
    const { usdc, settlement } = deployment;
    return readMeans(chain.provider, { usdc, settlement, wallets, blockTag: 'latest', ...change });
  };

  it('gives balance, allowance and pulled total of each wallet in order, as of a block', async () => {
    const alice = await chain.signer(1);
    const token = testUsdcAt(deployment.usdc, alice);
    const nobody = Wallet.createRandom().address;
    await mined(token.faucet(alice.address, 1_000n));
    await mined(token.approve(deployment.settlement, 700n));
    const before = await chain.provider.getBlockNumber();
    await mined(deployment.contract.settle(bytes32(1), [due(alice.address, 300n)]));
    const none = { wallet: nobody, balance: 0n, allowance: 0n, pulled: 0n };
    expect(await read([nobody, alice.address])).toEqual([
      none,
      { wallet: alice.address, balance: 700n, allowance: 400n, pulled: 300n },
    ]);
    expect(await read([nobody, alice.address], { blockTag: before })).toEqual([
      none,
      { wallet: alice.address, balance: 1_000n, allowance: 700n, pulled: 0n },
    ]);
  });

  it('reads more wallets than fit one call, and none', async () => {
    const { address } = Wallet.createRandom();
    const readings = await read(Array.from({ length: WALLETS_PER_CALL + 1 }, () => address));
    expect(readings).toHaveLength(WALLETS_PER_CALL + 1);
    expect(await read([])).toEqual([]);
  });

  it('asks for very many wallets a few calls at a time, in order', async () => {
    const wallets = Array.from({ length: 3 * CALLS_AT_ONCE * WALLETS_PER_CALL + 1 }, (_, index) =>
      zeroPadValue(toBeHex(index + 1), 20),
    );
    let [underWay, most] = [0, 0];
    const { provider } = chain;
    const call = provider.call.bind(provider);
    const watched = jest.spyOn(provider, 'call').mockImplementation(async (transaction) => {
      most = Math.max(most, ++underWay);
      return call(transaction).finally(() => underWay--);
    });
    const readings = await read(wallets);
    watched.mockRestore();
    expect(most).toBe(CALLS_AT_ONCE);
    expect(readings.map(({ wallet }) => wallet)).toEqual(wallets);
  });

  it('says when there is no contract, at the address or at that block', async () => {
    const elsewhere = await read([deployment.treasury], { settlement: deployment.treasury }).catch(String);
    const early = await read([deployment.treasury], { blockTag: 0 }).catch((error: unknown) => error);
    expect(elsewhere).toMatch(/no settlement contract/);
    expect(isChainError(early, 'no_contract')).toBe(true);
  });

  it('says when the contract collects another token', async () => {
    const reading = read([deployment.treasury], { usdc: deployment.treasury });
    await expect(reading).rejects.toMatchObject({ name: 'ChainError', code: 'wrong_token' });
  });

  it('refuses a chain with another id', async () => {
    const { url } = chain.provider._getConnection();
    const connecting = connectChain({ rpcUrl: url, chainId: 1n });
    await expect(connecting).rejects.toMatchObject({ name: 'ChainError', code: 'wrong_chain' });
  });
});
